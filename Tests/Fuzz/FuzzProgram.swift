import CLibFuzzer
import Glibc
import ScaledOracle

/// `Fuzz`: libFuzzer, which looks for a file that makes the decoders trap, read where they must not, hang, or
/// contradict each other. Its arguments are libFuzzer's; `make fuzz` runs it.
@main
enum FuzzProgram {
    /// A larger frame takes time, and has nothing that a smaller has not.
    static let mostPixels = 2 << 20

    static func main() {
        var count = CommandLine.argc
        var arguments = unsafe Optional(CommandLine.unsafeArgv)
        let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { start, count in
            FuzzProgram.test(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
            return 0
        }
        exit(status)
    }

    private static func test(_ file: [UInt8]) {
        do {
            guard try ScaledOracle.check(file, mostPixels: mostPixels) != nil else { return }
        } catch {
            fatalError("\(error)")
        }
        if let difference = LaneComparison.difference(file) {
            fatalError("with and without lanes: \(difference)")
        }
    }
}

/// libFuzzer looks for this function by its name.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: UInt32) -> Int {
    let file = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    let mutant = Mutation.mutant(of: file, capacity: capacity, seed: seed)
    unsafe bytes.update(from: mutant, count: mutant.count)
    return mutant.count
}

@_cdecl("LLVMFuzzerCustomCrossOver")
func cross(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, _ otherBytes: UnsafePointer<UInt8>, _ otherCount: Int,
    _ output: UnsafeMutablePointer<UInt8>, _ capacity: Int, _ seed: UInt32
) -> Int {
    let file = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    let other = unsafe Array(UnsafeBufferPointer(start: otherBytes, count: otherCount))
    let child = Mutation.child(of: file, and: other, capacity: capacity, seed: seed)
    unsafe output.update(from: child, count: child.count)
    return child.count
}
