@testable import Pixels
import Testing

@Suite struct TransferFunctionTests {
    @Test func `all 256 levels come back exactly`() {
        for level in UInt8.min...UInt8.max {
            #expect(TransferFunction.encoded(TransferFunction.linear(level)) == level)
        }
    }

    @Test func `black is 0, white is 65535, and the middle grey is a fifth of the light`() {
        #expect(TransferFunction.linear(0) == 0)
        #expect(TransferFunction.linear(255) == 65_535)
        #expect(TransferFunction.linear(128) == 14_146)
        #expect(TransferFunction.linear(10) == 199)
    }

    @Test func `more light is never a lower level`() {
        var last: UInt8 = 0
        for light in UInt16.min...UInt16.max {
            let level = TransferFunction.encoded(light)
            if level < last { Issue.record("light \(light) is level \(level) after \(last)") }
            last = level
        }
        #expect(last == 255)
    }

    @Test func `no table entry depends on the last bits of pow`() {
        for level in 0...255 {
            // Entries are rounded at one half, borders between levels are compared with whole numbers.
            let entry = TransferFunction.exactLight(Double(level))
            #expect(abs(entry - entry.rounded(.down) - 0.5) > 1e-4, "level \(level)")
            let border = TransferFunction.exactLight(Double(level) + 0.5)
            #expect(abs(border - border.rounded()) > 1e-4, "border \(level)")
        }
    }

    @Test func `rows and planes go through the same tables`() {
        let row: [UInt8] = [0, 1, 128, 254, 255]
        var light = [UInt16](repeating: 0, count: 5)
        var span = light.mutableSpan
        TransferFunction.linearise(row.span, channel: 0, of: 1, into: &span)
        #expect(light == row.map { TransferFunction.linear($0) })
        let pixels: [UInt8] = row.flatMap { level -> [UInt8] in [7, 9, level] }
        var third = [UInt16](repeating: 0, count: 5)
        span = third.mutableSpan
        TransferFunction.linearise(pixels.span, channel: 2, of: 3, into: &span)
        #expect(third == light)
        let plane = makePlane(width: 5, height: 2) { x, _ in light[x] }
        #expect(samples(TransferFunction.encode(plane)) == row + row)
    }
}
