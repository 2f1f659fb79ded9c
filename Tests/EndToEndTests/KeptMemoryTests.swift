import FleetSupport
import JobQueue
import TestSupport
import Testing

/// A worker keeps large buffers from one picture for the next.
struct KeptMemoryTests {
    /// Of which files, planes and coefficients are large enough to be kept: progressive, wide and full of detail, RGB.
    private static let pictures = [
        (source: "progressive.jpg", points: "120x120"), (source: "noise.jpg", points: "160x160"),
        (source: "rgb.jpg", points: "360x360"),
    ]

    @Test func `a picture comes out the same from a worker that has made others as from a new one`()
        async throws
    {
        let fleet = try await TestFleet(pictures: [
            "progressive.jpg": "landscape-progressive.jpg", "rgb.jpg": "landscape-rgb.jpg",
        ])
        try fleet.write(
            NoisePicture.bytes(width: 1600, height: 1200, coefficients: 6, seed: 3), to: "noise.jpg")
        for (number, picture) in Self.pictures.enumerated() {
            try await push(picture, as: "new\(number)", to: fleet)
            let worker = try fleet.worker(["--drain"])
            #expect(await worker.wait() == .status(0))
        }
        for round in 0..<4 {
            for (number, picture) in Self.pictures.enumerated() {
                try await push(picture, as: "used\(number)-\(round)", to: fleet)
            }
        }
        let worker = try fleet.worker(["--drain"])
        #expect(await worker.wait() == .status(0))
        for number in Self.pictures.indices {
            let new = try #require(fleet.thumbnail("new\(number).jpg"))
            for round in 0..<4 { #expect(fleet.thumbnail("used\(number)-\(round).jpg") == new, "\(number)") }
        }
    }

    private func push(
        _ picture: (source: String, points: String), as name: String, to fleet: TestFleet
    ) async throws {
        try await fleet.push(
            #"{"source":"\#(picture.source)","pt":"\#(picture.points)","scale":1,"output":"\#(name).jpg"}"#)
    }
}
