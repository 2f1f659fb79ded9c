extension Span<UInt8> {
    /// Big-endian, as all of JPEG.
    func uint16(at index: Int) -> Int { Int(self[index]) << 8 | Int(self[index + 1]) }

    func starts(with name: StaticString) -> Bool {
        guard count >= name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { expected in
            for index in 0..<expected.count where unsafe self[index] != expected[index] { return false }
            return true
        }
    }
}
