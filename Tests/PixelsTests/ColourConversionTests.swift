import Pixels
import Testing

@Suite struct ColourConversionTests {
    @Test func `all colours on a grid convert as the standard says, to the nearest level`() {
        let levels: [UInt8] = [0, 1, 17, 64, 100, 127, 128, 129, 200, 254, 255]
        for red in levels {
            for green in levels {
                for blue in levels {
                    let (r, g, b) = (Double(red), Double(green), Double(blue))
                    let converted = toYCbCr(red, green, blue)
                    #expect(abs(Double(converted[0]) - (0.299 * r + 0.587 * g + 0.114 * b)) < 0.502)
                    #expect(
                        abs(Double(converted[1]) - (128 - 0.168_735_892 * r - 0.331_264_108 * g + 0.5 * b))
                            < 0.502)
                    #expect(
                        abs(Double(converted[2]) - (128 + 0.5 * r - 0.418_687_589 * g - 0.081_312_411 * b))
                            < 0.502)
                    let back = toRGB(converted[0], converted[1], converted[2])
                    #expect(zip(back, [red, green, blue]).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
                }
            }
        }
    }

    @Test func `grey stays grey, both ways and exactly`() {
        for level in UInt8.min...UInt8.max {
            #expect(toYCbCr(level, level, level) == [level, 128, 128])
            #expect(toRGB(level, 128, 128) == [level, level, level])
        }
    }

    @Test func `the corners of the cube are those of libjpeg`() {
        #expect(toYCbCr(255, 0, 0) == [76, 85, 255])
        #expect(toYCbCr(0, 255, 0) == [150, 44, 21])
        #expect(toYCbCr(0, 0, 255) == [29, 255, 107])
        #expect(toRGB(76, 85, 255) == [254, 0, 0])
        #expect(toRGB(0, 0, 0) == [0, 135, 0])
        #expect(toRGB(255, 255, 255) == [255, 121, 255])
    }

    @Test func `ink of either polarity leaves the same light`() {
        for (inks, light) in [
            ([0, 0, 0, 0], [255, 255, 255]), ([255, 0, 0, 0], [0, 255, 255]),
            ([0, 255, 255, 0], [255, 0, 0]),
            ([0, 0, 0, 255], [0, 0, 0]), ([0, 0, 0, 128], [127, 127, 127]),
            ([128, 0, 64, 51], [102, 204, 153]),
        ] as [([UInt8], [UInt8])] {
            #expect(cmykToRGB(inks, .plain) == light)
            #expect(cmykToRGB(inks.map { ~$0 }, .inverted) == light)
        }
    }

    @Test(arguments: [ColourConversion.InkPolarity.plain, .inverted])
    func `interleaved inks convert like planes of them`(polarity: ColourConversion.InkPolarity) {
        let inks: [UInt8] = [0, 255, 17, 0, 200, 100, 50, 25, 255, 255, 255, 255, 1, 2, 3, 128]
        var pixels = [UInt8](repeating: 0, count: 12)
        var span = pixels.mutableSpan
        ColourConversion.convertCMYKToRGB(inks.span, polarity: polarity, into: &span)
        for pixel in 0..<4 {
            let expected = cmykToRGB(Array(inks[4 * pixel..<4 * pixel + 4]), polarity)
            #expect(Array(pixels[3 * pixel..<3 * pixel + 3]) == expected)
        }
    }

    @Test func `the product of ink and black is rounded exactly`() {
        for ink in UInt8.min...UInt8.max {
            for black in UInt8.min...UInt8.max {
                let expected = (2 * Int(ink) * Int(black) + 255) / 510
                guard cmykToRGB([ink, 0, 0, black], .inverted)[0] == UInt8(expected) else {
                    Issue.record("\(ink) under \(black)")
                    return
                }
            }
        }
    }

    @Test func `YCCK becomes the complements of its colour`() {
        var (first, second, third) = ([UInt8(76), 255], [UInt8(85), 128], [UInt8(255), 128])
        var one = first.mutableSpan
        var two = second.mutableSpan
        var three = third.mutableSpan
        ColourConversion.convertYCCKToCMYK(&one, &two, &three)
        #expect([one[0], two[0], three[0]] == [1, 255, 255])
        #expect([one[1], two[1], three[1]] == [0, 0, 0])
    }

    @Test func `whole planes convert like their rows`() {
        var red = noise(width: 9, height: 7, seed: 14)
        var green = noise(width: 9, height: 7, seed: 15)
        var blue = noise(
            width: 9, height: 7, seed: 16)
        let expected = zip(zip(samples(red), samples(green)), samples(blue)).map { toYCbCr($0.0, $0.1, $1) }
        convert(&red, &green, &blue)
        #expect(samples(red) == expected.map { $0[0] })
        #expect(samples(green) == expected.map { $0[1] })
        #expect(samples(blue) == expected.map { $0[2] })
    }

    private func convert(_ red: inout Plane, _ green: inout Plane, _ blue: inout Plane) {
        var one = red.mutableSamples
        var two = green.mutableSamples
        var three = blue.mutableSamples
        ColourConversion.convertRGBToYCbCr(&one, &two, &three)
    }

    private func toYCbCr(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> [UInt8] {
        var (first, second, third) = ([red], [green], [blue])
        var one = first.mutableSpan
        var two = second.mutableSpan
        var three = third.mutableSpan
        ColourConversion.convertRGBToYCbCr(&one, &two, &three)
        return [one[0], two[0], three[0]]
    }

    private func toRGB(_ y: UInt8, _ cb: UInt8, _ cr: UInt8) -> [UInt8] {
        var (first, second, third) = ([y], [cb], [cr])
        var one = first.mutableSpan
        var two = second.mutableSpan
        var three = third.mutableSpan
        ColourConversion.convertYCbCrToRGB(&one, &two, &three)
        return [one[0], two[0], three[0]]
    }

    private func cmykToRGB(_ inks: [UInt8], _ polarity: ColourConversion.InkPolarity) -> [UInt8] {
        var (first, second, third) = ([inks[0]], [inks[1]], [inks[2]])
        let black = [inks[3]]
        var one = first.mutableSpan
        var two = second.mutableSpan
        var three = third.mutableSpan
        ColourConversion.convertCMYKToRGB(&one, &two, &three, black: black.span, polarity: polarity)
        return [one[0], two[0], three[0]]
    }
}
