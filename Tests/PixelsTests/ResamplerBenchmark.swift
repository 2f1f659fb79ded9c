import Glibc
import Pixels
import TestSupport
import Testing

/// What the resampler's fixed-point kernels are for. Takes a quiet machine: runs only where
/// THUMBNAIL_BENCHMARK is set, best with `swift test -c release`.
@Suite(.enabled(if: unsafe getenv("THUMBNAIL_BENCHMARK") != nil), .serialized)
struct ResamplerBenchmark {
    @Test(arguments: [(1008, 756, 360, 270), (2016, 1512, 720, 540), (504, 378, 180, 135)])
    func `the fixed-point kernels are at least three times as fast as plain Double`(
        shape: (Int, Int, Int, Int)
    ) {
        let (width, height, targetWidth, targetHeight) = shape
        let plane = noise(width: width, height: height, seed: 17)
        let plain = samples(plane).map(Double.init)
        let axes = (Axis.whole(width, to: .every(targetWidth)), Axis.whole(height, to: .every(targetHeight)))
        let filter = PlaneFilter(horizontal: axes.0, vertical: axes.1)
        let fast = fastest { _ = plane.resampled(by: filter) }
        let filterTime = fastest { _ = PlaneFilter(horizontal: axes.0, vertical: axes.1) }
        let slow = fastest {
            _ = ReferenceResampler.resample(
                plain, width: width, horizontal: .whole(width, to: targetWidth),
                vertical: .whole(height, to: targetHeight))
        }
        print(
            "\(width)x\(height) to \(targetWidth)x\(targetHeight): fixed point \(fast), its filter \(filterTime), Double \(slow)"
        )
        #expect(fast * 3 < slow)
    }

    private func fastest(_ body: () -> Void) -> Duration {
        (0..<20).map { _ in ContinuousClock().measure(body) }.min() ?? .zero
    }
}
