import CLibFuzzer
import Glibc

/// `Fuzz`: libFuzzer, which looks for bytes that make the code behind an entrance trap, read where it must not,
/// hang, or break a promise. Its arguments are libFuzzer's, and FUZZ_TARGET names the entrance; `make fuzz` runs it.
@main
enum FuzzProgram {
    static func main() {
        guard FuzzTarget.chosen != nil else {
            print("FUZZ_TARGET is one of \(FuzzTarget.names.joined(separator: ", "))")
            exit(64)
        }
        var count = CommandLine.argc
        var arguments = unsafe Optional(CommandLine.unsafeArgv)
        let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { start, count in
            FuzzTarget.chosen?.test(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
            return 0
        }
        exit(status)
    }
}

/// libFuzzer looks for this function by its name.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: UInt32) -> Int {
    guard FuzzTarget.chosen?.isPicture == true else {
        return unsafe LLVMFuzzerMutate(bytes, count, capacity)
    }
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
