import Glibc
import MemoryBudget

/// The most memory that became resident while something ran, as Linux counts it.
///
/// Each core adds up a process' pages 32 at a time, so 128 KiB a core that the thread was on may be missing
/// from what is said here.
enum ResidentPeak {
    /// - Returns: the bytes beyond those resident at the start, after free heap has gone back.
    static func during<Result>(_ body: () throws -> Result) throws -> (bytes: Int, result: Result) {
        var text = [UInt8](repeating: 0, count: 8192)
        ProcessMemory.trim()
        // "5" sets the high-water mark to what is resident now.
        let file = unsafe open("/proc/self/clear_refs", O_WRONLY)
        guard file >= 0, unsafe write(file, "5", 1) == 1 else { fatalError("the mark cannot be reset") }
        close(file)
        let start = highWaterMark(&text)
        let result = try body()
        return (highWaterMark(&text) - start, result)
    }

    /// VmHWM of /proc/self/status, in bytes. Read without an allocation, which would raise it.
    private static func highWaterMark(_ text: inout [UInt8]) -> Int {
        let file = unsafe open("/proc/self/status", O_RDONLY)
        let count = unsafe read(file, &text, text.count)
        close(file)
        let name: StaticString = "VmHWM:"
        let length = name.utf8CodeUnitCount
        for start in 0..<max(0, count - length) where unsafe text[start] == name.utf8Start.pointee {
            let isHere = (0..<length).allSatisfy { unsafe text[start + $0] == name.utf8Start[$0] }
            if isHere { return 1024 * number(in: text, from: start + length) }
        }
        fatalError("/proc/self/status has no VmHWM")
    }

    /// The first number of a line, in decimal.
    private static func number(in text: [UInt8], from start: Int) -> Int {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return text[start...].drop { !digits.contains($0) }.prefix { digits.contains($0) }
            .reduce(0) { 10 * $0 + Int($1 - digits.lowerBound) }
    }
}
