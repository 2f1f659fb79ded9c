import Buffers
import Glibc
@testable import Pixels
import Testing

@Suite struct ResamplerStreamingTests {
    @Test func `rows are counted and padding is left out`() {
        let filter = PlaneFilter(
            horizontal: .whole(16, to: .every(5)),
            vertical: .decoded(size: 75, sampling: 1, of: 1, eighths: 2, delivered: 24, to: .every(7)))
        var resampler = PlaneResampler(filter)
        let row = [UInt8](repeating: 9, count: 20)
        #expect(resampler.rowsExpected == 19)
        for _ in 0..<24 { resampler.push(row.span) }
        #expect(resampler.rowsReceived == 19)
        let result = samples(resampler.finish())
        #expect(result == [UInt8](repeating: 9, count: 35))
    }

    @Test func `two planes share one filter`() {
        let filter = PlaneFilter(horizontal: .whole(30, to: .every(11)), vertical: .whole(20, to: .every(7)))
        let plane = noise(width: 30, height: 20, seed: 11)
        var one = PlaneResampler(filter)
        var other = PlaneResampler(filter)
        for y in 0..<20 {
            one.push(plane.row(y))
            other.push(plane.row(y))
        }
        let (first, second) = (samples(one.finish()), samples(other.finish()))
        #expect(first == second)
    }

    @Test(arguments: 1...23)
    func `missing rows repeat the last one`(received: Int) {
        let whole = makePlane(width: 17, height: 23) { x, y in
            UInt8((x * 31 + min(y, received - 1) * 57) % 256)
        }
        let expected = samples(resampled(whole, to: 7, 9))
        #expect(samples(broken(whole, after: received, filling: .repeatLast)) == expected)
    }

    @Test(arguments: 0...23)
    func `missing rows become grey`(received: Int) {
        let whole = makePlane(width: 17, height: 23) { x, y in
            y < received ? UInt8((x * 31 + y * 57) % 256) : 128
        }
        let expected = samples(resampled(whole, to: 7, 9))
        #expect(samples(broken(whole, after: received, filling: .grey)) == expected)
    }

    @Test func `a picture without any row is grey`() {
        let plane = makePlane(width: 17, height: 23) { _, _ in UInt8(1) }
        #expect(samples(broken(plane, after: 0, filling: .repeatLast)).allSatisfy { $0 == 128 })
    }

    @Test func `missing linear rows repeat the last one or become the same grey`() {
        let axes = (Axis.whole(9, to: .every(4)), Axis.whole(12, to: .every(5)))
        for received in [4, 5] {
            let row: [UInt16] = (0..<9).map { $0 * 7000 }
            var resampler = LinearResampler(PlaneFilter(horizontal: axes.0, vertical: axes.1))
            for _ in 0..<received { resampler.push(row.span) }
            let whole = makePlane(width: 9, height: 12) { x, _ in UInt16(x * 7000) }
            let expected = samples(resampled(whole, horizontal: axes.0, vertical: axes.1))
            let result = samples(resampler.finish(filling: .repeatLast))
            #expect(result == expected)
        }
        let empty = LinearResampler(PlaneFilter(horizontal: axes.0, vertical: axes.1))
        let grey = samples(empty.finish(filling: .grey))
        #expect(grey.allSatisfy { TransferFunction.encoded($0) == 128 })
    }

    @Test(arguments: [
        (1008, 756, 360, 270), (1, 1, 1, 1), (16, 4000, 5, 2), (4000, 16, 1000, 3), (2016, 1512, 720, 540),
        (1, 65_500, 1, 100),
    ])
    func `a resampler takes what its axes said before it was made`(shape: (Int, Int, Int, Int)) {
        let axes = (Axis.whole(shape.0, to: .every(shape.2)), Axis.whole(shape.1, to: .every(shape.3)))
        let filter = PlaneFilter(horizontal: axes.0, vertical: axes.1)
        let resampler = PlaneResampler(filter)
        #expect(resampler.allocatedBytes == PlaneResampler.peakBytes(horizontal: axes.0, vertical: axes.1))
        let linear = LinearResampler(filter)
        #expect(linear.allocatedBytes == LinearResampler.peakBytes(horizontal: axes.0, vertical: axes.1))
        // Beside its output, no more than the promised rows of the source and the sums of four rows, twice.
        let rows = Int((6 * axes.1.ratio).rounded(.up)) + 2
        let bound =
            Plane.allocatedBytes(width: shape.2, height: shape.3) + (rows + 1) * (shape.0 + 16) + 16
            * (2 * (shape.0 + 16) + Int(6 * axes.0.ratio) + 8)
            + 16 * rows + 3 * 8192
        #expect(resampler.allocatedBytes <= bound)
    }

    @Test(arguments: [1, 23, 24, 25, 1000, 100_000, 131_072, 200_000, 262_143, 262_144, 1_000_000])
    func `memory takes no more from the allocator than it says`(bytes: Int) {
        let memory = SampleMemory<UInt8>(count: bytes)
        // AddressSanitizer brings an allocator of its own, whose blocks say nothing about glibc's.
        let isSanitized = unsafe dlsym(nil, "__asan_init") != nil
        if bytes < PooledBuffer.leastMapped, !isSanitized {
            // glibc keeps the size of a block in front of it; the low three bits are flags.
            let block = unsafe UnsafeRawPointer(memory.base).load(fromByteOffset: -8, as: Int.self) & ~7
            #expect(block >= bytes && block <= memory.allocatedBytes)
        } else {
            #expect(memory.allocatedBytes >= bytes)
        }
        #expect(memory.allocatedBytes <= bytes + 4096 + 32)
        let isZeroed = (0..<bytes).allSatisfy { unsafe memory.base[$0] == 0 }
        #expect(isZeroed)
    }

    private func broken(_ plane: borrowing Plane, after rows: Int, filling missing: MissingRows) -> Plane {
        var resampler = PlaneResampler(
            PlaneFilter(
                horizontal: .whole(plane.width, to: .every(7)), vertical: .whole(plane.height, to: .every(9)))
        )
        for y in 0..<rows { resampler.push(plane.row(y)) }
        return resampler.finish(filling: missing)
    }
}
