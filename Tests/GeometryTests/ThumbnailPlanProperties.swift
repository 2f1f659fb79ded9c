import Geometry
import Testing

/// Ten thousand requests of every magnitude, the same on every run.
@Suite struct ThumbnailPlanProperties {
    struct Request {
        var size: PixelSize
        var points: PointSize
        var scale: Double
    }

    @Test func `the output fits the box or is one pixel thin, and is never larger than the source`() throws {
        try forEachRequest { request, output in
            let box = (request.points.width * request.scale, request.points.height * request.scale)
            let slack = 1 + 1e-15
            #expect(Double(output.width) <= max(1, box.0 * slack))
            #expect(Double(output.height) <= max(1, box.1 * slack))
            #expect(output.width <= request.size.width)
            #expect(output.height <= request.size.height)
        }
    }

    @Test func `the sides keep the aspect ratio to less than a pixel`() throws {
        try forEachRequest { request, output in
            let exact =
                Double(request.size.shortSide) * Double(output.longSide) / Double(request.size.longSide)
            #expect(output.shortSide == 1 || abs(Double(output.shortSide) - exact) < 1)
        }
    }

    @Test func `one more pixel on the long side would leave the box`() throws {
        try forEachRequest { request, output in
            guard output != request.size else { return }
            let box = (request.points.width * request.scale, request.points.height * request.scale)
            let (boxLong, boxShort) =
                request.size.width > request.size.height
                ? box
                : request.size.width < request.size.height
                    ? (box.1, box.0) : (min(box.0, box.1), min(box.0, box.1))
            let long = Double(output.longSide + 1)
            let short = long * Double(request.size.shortSide) / Double(request.size.longSide)
            #expect(long > boxLong * (1 - 1e-15) || short > boxShort * (1 - 1e-15))
        }
    }

    @Test func `transposing picture and box transposes the output`() throws {
        try forEachRequest { request, output in
            let points = try PointSize(width: request.points.height, height: request.points.width)
            let other = try fitted(
                Request(size: request.size.transposed, points: points, scale: request.scale))
            #expect(other == output.transposed)
        }
    }

    @Test func `doubling the points and halving the scale changes nothing`() throws {
        try forEachRequest { request, output in
            let points = try PointSize(width: request.points.width * 2, height: request.points.height * 2)
            let other = try fitted(Request(size: request.size, points: points, scale: request.scale / 2))
            #expect(other == output)
        }
    }

    @Test func `a larger box never gives a smaller output`() throws {
        try forEachRequest { request, output in
            let points = try PointSize(
                width: request.points.width * 1.1, height: request.points.height * 1.25)
            let other = try fitted(Request(size: request.size, points: points, scale: request.scale))
            #expect((other?.longSide ?? 0) >= output.longSide)
            #expect((other?.shortSide ?? 0) >= output.shortSide)
        }
    }

    @Test func `the eight orientations of one scene have one displayed size`() throws {
        try forEachRequest { request, output in
            for orientation in Orientation.allCases {
                let plan = try ThumbnailPlan(
                    stored: orientation.inverse.applied(to: request.size), orientation: orientation,
                    points: request.points, scales: [request.scale])
                #expect(plan.outputs[0].displayed == output)
                #expect(orientation.applied(to: plan.outputs[0].stored) == output)
            }
        }
    }

    @Test(arguments: [(Headroom.gamma, 2.0), (.fast, 1.5), (.linear, 4)])
    func `the decode scale is the smallest that leaves the headroom, or there is none`(
        headroom: Headroom, factor: Double
    ) throws {
        let choices: [[DecodeScale]] = [DecodeScale.allCases, [.half, .eighth], [.threeEighths]]
        try forEachRequest { request, output in
            func leaves(_ scale: DecodeScale) -> Bool {
                // Exact: halves and eighths of integers.
                let part = Double(scale.eighths) / 8
                return Double(request.size.width) * part >= factor * Double(output.width)
                    && Double(request.size.height) * part >= factor * Double(output.height)
            }
            for scales in choices {
                let found = DecodeScale(
                    stored: request.size, output: output, headroom: headroom, among: scales)
                #expect(found == scales.sorted().first(where: leaves))
            }
        }
    }

    /// Calls the body for every random request that gives an output.
    private func forEachRequest(_ body: (Request, PixelSize) throws -> Void) throws {
        var random = SplitMix(state: 20_240_607)
        var answered = 0
        for _ in 0..<10_000 {
            let size = PixelSize(width: random.side(), height: random.side())
            let points = try PointSize(width: random.points(), height: random.points())
            let request = Request(
                size: size, points: points, scale: [1, 2, 3, 1.5, 2.625][Int(random.next() % 5)])
            guard let output = try fitted(request) else { continue }
            answered += 1
            try body(request, output)
        }
        #expect(answered > 8000)
    }

    private func fitted(_ request: Request) throws -> PixelSize? {
        do {
            return try ThumbnailPlan(
                stored: request.size, orientation: .up, points: request.points, scales: [request.scale]
            ).outputs[0].displayed
        } catch GeometryError.targetTooSmall {
            return nil
        }
    }

    struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }

        /// 1…65,535, every magnitude as likely.
        mutating func side() -> Int {
            let bits = Int.random(in: 1...16, using: &self)
            return Int.random(in: 1..<(1 << bits), using: &self)
        }

        /// Half of them whole, as people ask; of 0.01…10,000.
        mutating func points() -> Double {
            if Bool.random(using: &self) { return Double(Int.random(in: 1...2000, using: &self)) }
            return Double(Int.random(in: 1...1_000_000, using: &self)) / 100
        }
    }
}
