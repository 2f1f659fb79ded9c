// Checked access to the bytes of a file.

extension RawSpan {
    subscript(_ index: Int) -> UInt8 {
        // The check is what makes the unchecked load sound.
        precondition(index >= 0 && index < byteCount, "read past the end of the bytes")
        return unsafe unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
    }

    /// Big-endian, as all of JPEG.
    func uint16(at index: Int) -> Int { Int(self[index]) << 8 | Int(self[index + 1]) }

    func starts(with name: StaticString) -> Bool {
        guard byteCount >= name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { expected in
            for index in 0..<expected.count where unsafe self[index] != expected[index] { return false }
            return true
        }
    }
}
