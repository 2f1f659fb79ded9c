import Geometry
import Testing

@Suite struct ThumbnailPlanTests {
    struct Case: CustomTestStringConvertible {
        var stored: (Int, Int)
        var orientation = Orientation.up
        var points: String
        var scale = 1.0
        var expected: (Int, Int)
        var testDescription: String { "\(stored) in \(points) @\(scale)" }
    }

    @Test(arguments: [
        Case(stored: (4032, 3024), orientation: .right, points: "120x120", scale: 3, expected: (270, 360)),
        Case(stored: (597, 400), points: "360x360", expected: (360, 241)),
        Case(stored: (500, 399), points: "100x100", expected: (100, 80)),
        Case(stored: (3279, 6016), points: "1800x1200", expected: (654, 1200)),
        Case(stored: (5250, 3450), points: "400x300", expected: (400, 263)),
        Case(stored: (640, 480), points: "533.4x1000", expected: (533, 400)),
        Case(stored: (858, 1), points: "80x80", expected: (80, 1)),
        Case(stored: (1, 65500), points: "100x100", expected: (1, 100)),
        Case(stored: (1000, 4), points: "50x50", expected: (50, 1)),
        Case(stored: (300, 200), points: "120x120", scale: 3, expected: (300, 200)),
        Case(stored: (300, 200), orientation: .left, points: "1e300x1e300", expected: (200, 300)),
        Case(stored: (1, 1), points: "1x1", expected: (1, 1)),
        // One side of the box beyond every number: the other decides.
        Case(stored: (4000, 3000), points: "1e308x300", expected: (400, 300)),
        Case(stored: (3000, 4000), points: "300x1e308", expected: (300, 400)),
        // A square picture takes the smaller side of the box.
        Case(stored: (1000, 1000), points: "300x200", expected: (200, 200)),
        // Half up: 100 · 3/8 = 37.5.
        Case(stored: (800, 300), points: "100x100", expected: (100, 38)),
        // A fractional box is never exceeded: 99.75 · 2/3 = 66.5 rounds to 67, and the box has 66.
        Case(stored: (300, 200), points: "99.9x66.6", expected: (99, 66)),
    ])
    func `sizes are those of the contract`(row: Case) throws {
        let plan = try ThumbnailPlan(
            stored: PixelSize(width: row.stored.0, height: row.stored.1), orientation: row.orientation,
            points: PointSize(row.points), scales: [row.scale])
        #expect(plan.outputs.count == 1)
        #expect(plan.outputs[0].displayed == PixelSize(width: row.expected.0, height: row.expected.1))
        #expect(plan.outputs[0].stored == row.orientation.inverse.applied(to: plan.outputs[0].displayed))
    }

    @Test(arguments: ["0.4x0.4", "5e-324x1", "0.999x500"])
    func `a box without a whole pixel is too small`(points: String) throws {
        let size = PixelSize(width: 400, height: 300)
        let points = try PointSize(points)
        #expect(throws: GeometryError.targetTooSmall(displayed: size, points: points, scale: 1)) {
            try ThumbnailPlan(stored: size, orientation: .up, points: points, scales: [1])
        }
    }

    @Test(arguments: [0, -1, .nan, .infinity, -.infinity] as [Double])
    func `a scale that is not finite and greater than zero is invalid`(scale: Double) throws {
        let error = #expect(throws: GeometryError.self) { try plan(400, 300, "120x120", [1, scale]) }
        guard case .invalidScale(let found) = error else {
            Issue.record("\(scale) gave \(String(describing: error))")
            return
        }
        #expect(found == scale || (found.isNaN && scale.isNaN))
    }

    @Test(arguments: [("1e300x1", 1e300), ("5e-324x1", 0.25)])
    func `a product beyond the numbers is an invalid box`(points: String, scale: Double) throws {
        let points = try PointSize(points)
        #expect(throws: GeometryError.invalidBox(points: points, scale: scale)) {
            try ThumbnailPlan(
                stored: PixelSize(width: 4, height: 3), orientation: .up, points: points, scales: [scale])
        }
    }

    @Test func `a job without a scale has no plan`() {
        #expect(throws: GeometryError.noScale) { try plan(400, 300, "120x120", []) }
    }

    @Test func `decimals cost no pixel where their product is whole`() throws {
        // 4.35 · 100 = 434.99999999999994 and 0.57 · 100 = 56.99999999999999 in Double.
        #expect(try plan(1000, 1000, "4.35x4.35", [100]).outputs[0].displayed.width == 435)
        #expect(try plan(1000, 1000, "0.57x0.57", [100]).outputs[0].displayed.width == 57)
        // No tolerance that anyone could ask for on purpose.
        #expect(try plan(1000, 1000, "434.999999x435", [1]).outputs[0].displayed.width == 434)
    }

    @Test func `every long side up to 20000 reaches a whole box exactly`() throws {
        for box in [256, 360, 512, 1024] {
            let points = try PointSize(width: Double(box), height: Double(box))
            for side in box...20000 {
                let plan = try ThumbnailPlan(
                    stored: PixelSize(width: side, height: side / 2 + 1), orientation: .up, points: points,
                    scales: [1])
                guard plan.outputs[0].displayed.width == box else {
                    Issue.record("\(side) px in \(box) gave \(plan.outputs[0].displayed)")
                    return
                }
            }
        }
    }

    @Test func `the decode scale is the smallest with the headroom on both stored axes`() throws {
        func scale(
            _ width: Int, _ height: Int, _ points: String, _ headroom: Headroom,
            among scales: [DecodeScale] = DecodeScale.allCases
        ) throws -> DecodeScale? {
            try ThumbnailPlan(
                stored: PixelSize(width: width, height: height), orientation: .right,
                points: PointSize(points), scales: [1]
            ).decodeScale(headroom, among: scales)
        }
        #expect(try scale(4032, 3024, "360x360", .gamma) == .quarter)
        #expect(try scale(4032, 3024, "360x360", .linear) == .threeEighths)
        #expect(try scale(3839, 2880, "360x360", .linear) == .half)
        #expect(try scale(5760, 4320, "360x360", .gamma) == .eighth)
        #expect(try scale(5759, 4320, "360x360", .gamma) == .quarter)
        #expect(try scale(1440, 1080, "360x360", .gamma) == .half)
        #expect(try scale(500, 400, "360x360", .gamma) == nil)
        #expect(try scale(300, 200, "360x360", .gamma) == nil)
        // Three samples for two pixels: 1/8 from ratio 12.
        #expect(try scale(4320, 3240, "360x360", .fast) == .eighth)
        #expect(try scale(4319, 3240, "360x360", .fast) == .quarter)
        // 2560 to 360 is ratio 7.1: 2/8 is too little, and not every decoder has 3/8.
        #expect(try scale(2560, 1600, "360x360", .gamma) == .threeEighths)
        #expect(try scale(2560, 1600, "360x360", .gamma, among: [.eighth, .quarter, .half]) == .half)
        #expect(try scale(2560, 1600, "360x360", .gamma, among: [.eighth, .quarter]) == nil)
        // 1x100: the long axis would allow 1/8, the axis of one pixel allows no scaling at all.
        #expect(try scale(1, 65500, "100x100", .gamma) == nil)
    }

    @Test func `several scales share the decode scale of the largest`() throws {
        let plan = try plan(4032, 3024, "120x120", [1, 3, 2])
        #expect(plan.outputs.map(\.scale) == [1, 3, 2])
        #expect(plan.outputs.map(\.displayed.width) == [120, 360, 240])
        #expect(plan.decodeScale(.gamma, among: DecodeScale.allCases) == .quarter)
        let one = try self.plan(4032, 3024, "120x120", [1])
        #expect(one.decodeScale(.gamma, among: DecodeScale.allCases) == .eighth)
    }

    private func plan(_ width: Int, _ height: Int, _ points: String, _ scales: [Double]) throws
        -> ThumbnailPlan
    {
        try ThumbnailPlan(
            stored: PixelSize(width: width, height: height), orientation: .up, points: PointSize(points),
            scales: scales)
    }
}
