import Testing
import Units

@Test(arguments: [
    ("0", 0), ("1000000", 1_000_000), ("12B", 12), ("64KiB", 65_536), ("512MiB", 536_870_912),
    ("512mib", 536_870_912), ("2GiB", 2_147_483_648), ("1.5 GiB", 1_610_612_736), ("500MB", 500_000_000),
    ("1KB", 1_000), ("3GB", 3_000_000_000), ("0.1GiB", 107_374_182), ("1.9B", 1),
    ("9223372036854775807", Int64.max),
])
func `a size is read with its documented unit`(text: String, bytes: Int64) throws {
    #expect(try ByteCount(parsing: text).bytes == bytes)
}

@Test(arguments: [
    "", "MiB", "-1", "1..5MiB", "1.MiB", ".5MiB", "1,5MiB", "abc", "٣MiB", "5\u{308}MiB", "1.5\u{308}MiB",
])
func `a text that does not begin with a number is no size`(text: String) {
    #expect(throws: UnitError.self) { try ByteCount(parsing: text) }
}

@Test func `a bare M is refused and the known units are named`() {
    #expect(throws: UnitError.unknownSuffix(found: "M", known: ["B", "KiB", "MiB", "GiB", "KB", "MB", "GB"]))
    {
        try ByteCount(parsing: "512M")
    }
}

@Test(arguments: ["9223372036854775808", "9007199254740992GiB", "99999999999999999999KiB"])
func `a size beyond 63 bits is too large`(text: String) {
    #expect(throws: UnitError.tooLarge(found: text)) { try ByteCount(parsing: text) }
}

@Test func `sums and products stop at the largest amount`() {
    #expect(ByteCount.max + ByteCount(1) == .max)
    #expect(ByteCount(Int64.max / 2 + 1) * 2 == .max)
    #expect(ByteCount(3) * 0 == .zero)
    #expect(ByteCount.gibibytes(Int.max >> 8) == .max)
}

@Test func `differences are exact`() {
    #expect(ByteCount.mebibytes(2) - .mebibytes(1) == ByteCount(1 << 20))
    #expect(ByteCount(5) - ByteCount(5) == .zero)
}

@Test func `hundredths do not overflow and round down`() {
    #expect(ByteCount(199).hundredths(60) == ByteCount(119))
    #expect(ByteCount.max.hundredths(100) == .max)
    #expect(ByteCount.max.hundredths(60) < .max)
}

@Test(arguments: [
    (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (65_536, "64 KiB"), (4_718_592, "4.5 MiB"),
    (1_048_575, "1023.9 KiB"), (1 << 30, "1 GiB"), (Int64.max, "8589934591.9 GiB"),
])
func `a size reads well`(bytes: Int64, text: String) {
    #expect(ByteCount(bytes).description == text)
}

@Test func `sizes are ordered`() {
    #expect(ByteCount(1) < ByteCount(2))
    #expect([ByteCount(3), ByteCount(1)].min() == ByteCount(1))
}
