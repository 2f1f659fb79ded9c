import Geometry
import Glibc
import TestSupport
import Testing
import Units

@testable import Thumbnails

/// Small files that claim much. What they cost is counted: bytes read, and the processor's time of this thread,
/// which a busy machine does not lengthen.
struct BombTests {
    struct Bomb: Sendable, CustomTestStringConvertible {
        let name: String
        let make: @Sendable () -> [UInt8]
        let isRight: @Sendable (PictureError) -> Bool
        var testDescription: String { name }
    }

    static let bombs = [
        Bomb(name: "258 bytes that would allocate gigabytes", make: { Fixture.bytes("bomb.jpg") }) {
            if case .refused(.tooManyPixels) = $0 { true } else { false }
        },
        Bomb(
            name: "the same within the limit of pixels",
            make: { Fixture.bytes("bomb.jpg").withFrameSize(31_000, 31_000) }
        ) {
            if case .refused(.claimsMoreThanFileHolds) = $0 { true } else { false }
        },
        Bomb(
            name: "a progressive file with the largest sides that there are",
            make: { Fixture.bytes("landscape-progressive.jpg").withFrameSize(65_500, 65_500) }
        ) {
            if case .refused(.tooManyPixels) = $0 { true } else { false }
        },
        Bomb(
            name: "a baseline file that claims a gigapixel",
            make: { Fixture.bytes("landscape-420.jpg").withFrameSize(31_000, 31_000) }
        ) {
            if case .truncated = $0 { true } else { false }
        },
        Bomb(name: "501 scans", make: { Fixture.bytes("scans-501.jpg") }) {
            $0 == .refused(.tooManyScans(limit: 500))
        },
        Bomb(
            name: "a gigapixel of junk",
            make: {
                let head = Fixture.bytes("landscape-420.jpg").withFrameSize(31_000, 31_000).prefix(700)
                var random = SplitMix(seed: 1)
                return head + (0..<300_000).map { _ in UInt8.random(in: 0...254, using: &random) }
            }
        ) {
            switch $0 {
            case .damaged, .truncated: true
            default: false
            }
        },
    ]

    @Test(arguments: bombs)
    func `a bomb is refused in 50 ms, by a look at 64 KiB of it`(bomb: Bomb) throws {
        let bytes = bomb.make()
        var read = 0
        let start = Self.timeOfThisThread()
        let error = #expect(throws: PictureError.self) {
            let picture = try Self.inspect(bytes, counting: &read)
            let request = ThumbnailRequest(
                points: try PointSize("90x90"), scales: [1], quality: 80, options: RenderOptions())
            let plan = try RenderPlan(picture, request, fileBytes: bytes.count, within: .mebibytes(64))
            #expect(plan.footprint.total < .mebibytes(64), "admitted with less than the budget")
            _ = try plan.confirmed(by: bytes.span).render(bytes.span, within: plan.footprint.total)
        }
        let time = Self.timeOfThisThread() - start
        #expect(error.map(bomb.isRight) == true, "\(String(describing: error))")
        #expect(read <= 64 << 10)
        #expect(time < .milliseconds(50), "\(bomb.name): \(time)")
    }

    /// 100,000 segments: odd, and honest.
    @Test func `a hundred thousand segments cost time in proportion, and the picture comes out`() throws {
        let file = Fixture.bytes("landscape-420.jpg")
        func withSegments(_ count: Int) -> [UInt8] {
            var bytes = Array(file[..<2])
            for number in 0..<count { bytes += [0xFF, 0xE1, 0x00, 0x04, UInt8(number & 255), 0xFF] }
            return bytes + file[2...]
        }
        let (few, many) = (withSegments(12_500), withSegments(100_000))
        func leastTime(_ bytes: [UInt8]) throws -> Duration {
            var least = Duration.seconds(1000)
            for _ in 0..<3 {
                let start = Self.timeOfThisThread()
                let size = try render(bytes, "90x90").thumbnails[0].size
                least = min(least, Self.timeOfThisThread() - start)
                #expect(size == PixelSize(width: 90, height: 60))
            }
            return least
        }
        let (once, eightfold) = (try leastTime(few), try leastTime(many))
        #expect(eightfold < once * 24, "\(once), then \(eightfold)")
        let (odd, plain) = (try render(many, "90x90"), try render(file, "90x90"))
        #expect(odd.thumbnails[0].encoded == plain.thumbnails[0].encoded)
    }

    private static func inspect(_ bytes: [UInt8], counting read: inout Int) throws -> InspectedPicture {
        var inspection = PictureInspection()
        while true {
            let window = inspection.wanted.clamped(to: 0..<bytes.count)
            read += window.count
            if let picture = try inspection.take(bytes.span.extracting(window)) { return picture }
        }
    }

    private static func timeOfThisThread() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
