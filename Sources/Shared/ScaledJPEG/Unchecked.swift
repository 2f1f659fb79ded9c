internal import Buffers
internal import Glibc

/// A place in memory from which a loop reaches elements without a check in what ships.
///
/// Whoever asks for an index has proven that it is inside of the memory, and that the memory's owner lives. Tests and the
/// fuzzer are built with `CHECKED`: there each access looks whether that is so, and traps when it is not.
@safe struct Unchecked<Element: BitwiseCopyable> {
    private var place: UnsafePointer<Element>
    private let extent: MemoryExtent

    @unsafe @inline(always)
    init(_ place: UnsafePointer<Element>, _ extent: MemoryExtent) {
        unsafe self.place = place
        self.extent = extent
    }

    @inline(always)
    subscript(unchecked index: Int) -> Element {
        unsafe extent.check(place + index, as: Element.self)
        return unsafe place[index]
    }

    /// What is at an element's place, or some bytes behind it, as another type of any alignment.
    @inline(always)
    func load<Value: BitwiseCopyable>(unchecked index: Int, byte: Int = 0, as type: Value.Type) -> Value {
        unsafe extent.check(UnsafeRawPointer(place + index) + byte, as: Value.self)
        return unsafe UnsafeRawPointer(place + index).loadUnaligned(fromByteOffset: byte, as: Value.self)
    }

    @inline(always)
    static func + (base: Unchecked, distance: Int) -> Unchecked {
        unsafe Unchecked(base.place + distance, base.extent)
    }

    @inline(always)
    static func += (base: inout Unchecked, distance: Int) { unsafe base.place += distance }

    /// In elements.
    @inline(always)
    static func - (place: Unchecked, base: Unchecked) -> Int { unsafe place.place - base.place }

    @inline(always)
    static func <= (one: Unchecked, other: Unchecked) -> Bool { unsafe one.place <= other.place }
}

/// The same where it can be written to.
@safe struct UncheckedMutable<Element: BitwiseCopyable> {
    private let place: UnsafeMutablePointer<Element>
    private let extent: MemoryExtent

    @unsafe @inline(always)
    init(_ place: UnsafeMutablePointer<Element>, _ extent: MemoryExtent) {
        unsafe self.place = place
        self.extent = extent
    }

    @unsafe @inline(always)
    init(_ memory: UnsafeMutableBufferPointer<Element>) {
        // Nobody has an index for empty memory.
        let place = unsafe memory.baseAddress ?? UnsafeMutablePointer(bitPattern: -16).unsafelyUnwrapped
        unsafe self.init(place, MemoryExtent(UnsafeRawBufferPointer(memory)))
    }

    @inline(always)
    subscript(unchecked index: Int) -> Element {
        get {
            unsafe extent.check(place + index, as: Element.self)
            return unsafe place[index]
        }
        nonmutating set {
            unsafe extent.check(place + index, as: Element.self)
            unsafe place[index] = newValue
        }
    }

    @inline(always)
    func load<Value: BitwiseCopyable>(unchecked index: Int, as type: Value.Type) -> Value {
        reading.load(unchecked: index, as: type)
    }

    /// Writes to an element's place, and over those behind it, a value of any alignment.
    @inline(always)
    func store<Value: BitwiseCopyable>(_ value: Value, unchecked index: Int) {
        unsafe extent.check(place + index, as: Value.self)
        unsafe UnsafeMutableRawPointer(place + index).storeBytes(of: value, as: Value.self)
    }

    /// For a loop that has registers for nothing more.
    @unsafe var address: UnsafeMutablePointer<Element> { unsafe place }

    /// Copies elements from a distance to this place; they may overlap.
    func move(from distance: Int, count: Int) {
        guard count > 0 else { return }
        for index in [0, count - 1, distance, distance + count - 1] {
            unsafe extent.check(place + index, as: Element.self)
        }
        unsafe place.update(from: place + distance, count: count)
    }

    @inline(always)
    var reading: Unchecked<Element> { unsafe Unchecked(place, extent) }

    @inline(always)
    static func + (base: UncheckedMutable, distance: Int) -> UncheckedMutable {
        unsafe UncheckedMutable(base.place + distance, base.extent)
    }

    /// In elements.
    @inline(always)
    static func - (place: UncheckedMutable, base: UncheckedMutable) -> Int {
        unsafe place.place - base.place
    }
}

/// The memory that a place is in. Nothing but where accesses are checked.
struct MemoryExtent {
    #if CHECKED
        private let start: Int
        private let end: Int
    #endif

    @inline(always)
    init(_ memory: UnsafeRawBufferPointer) {
        #if CHECKED
            start = Int(bitPattern: memory.baseAddress)
            end = start + memory.count
        #endif
    }

    @inline(always)
    func check<Value>(_ place: UnsafeRawPointer, as type: Value.Type) {
        #if CHECKED
            let address = Int(bitPattern: place)
            precondition(
                address >= start && address + MemoryLayout<Value>.size <= end,
                "byte \(address - start) of \(end - start)")
        #endif
    }
}

extension Array where Element: BitwiseCopyable {
    @inline(always)
    func withUnchecked<Result, Failure: Error>(
        _ body: (Unchecked<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try span.withUnchecked(body)
    }

    @inline(always)
    mutating func withUncheckedMutable<Result, Failure: Error>(
        _ body: (UncheckedMutable<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeMutableBufferPointer { memory throws(Failure) in
            try unsafe body(UncheckedMutable(memory))
        }
    }
}

extension Span where Element: BitwiseCopyable {
    @inline(always)
    func withUnchecked<Result, Failure: Error>(
        _ body: (Unchecked<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeBufferPointer { memory throws(Failure) in
            try unsafe body(UncheckedMutable(UnsafeMutableBufferPointer(mutating: memory)).reading)
        }
    }
}

extension Span<UInt8> {
    /// Eight bytes as they are in memory.
    @inline(always)
    func word(unchecked position: Int) -> UInt64 {
        #if CHECKED
            precondition(position >= 0 && position + 8 <= count, "byte \(position) of \(count)")
        #endif
        return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
    }
}

/// Memory from the heap for a fixed number of elements, which loops keep the address of.
@safe final class LoopMemory<Element: BitwiseCopyable> {
    let count: Int
    private let memory: UnsafeMutableBufferPointer<Element>

    /// - Parameter count: greater than zero.
    init(repeating element: Element, count: Int) {
        self.count = count
        unsafe memory = .allocate(capacity: count)
        unsafe memory.initialize(repeating: element)
    }

    /// Whatever was there before: for those who write each element before they read it. Pages that nobody has
    /// written to are not there.
    init(uninitialized count: Int) {
        self.count = count
        unsafe memory = .allocate(capacity: count)
    }

    deinit { unsafe memory.deallocate() }

    /// Valid as long as the memory lives.
    var elements: UncheckedMutable<Element> { unsafe UncheckedMutable(memory) }
}

/// Zeroed memory for a fixed number of elements: the planes and coefficients of one picture.
///
/// A host that refuses memory here traps: the footprint was admitted before, and Swift's own arrays would trap
/// as well.
@safe final class ZeroedMemory<Element: FixedWidthInteger & BitwiseCopyable & Sendable>: Sendable {
    let count: Int
    private let memory: PooledBuffer

    /// - Parameter count: greater than zero.
    init(count: Int) {
        let bytes = count * MemoryLayout<Element>.stride
        guard let memory = PooledBuffer(count: bytes, content: .zeros) else {
            preconditionFailure("the host has no memory for \(bytes) bytes")
        }
        self.count = count
        self.memory = memory
    }

    /// Valid as long as the memory lives. Only who decodes a picture writes, and lets go of it before anybody else
    /// sees it.
    var elements: UncheckedMutable<Element> {
        unsafe UncheckedMutable(memory.bytes.bindMemory(to: Element.self))
    }

    func withSpan<Result, Failure: Error>(
        of range: Range<Int>, _ body: (Span<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let elements = unsafe UnsafeBufferPointer(memory.bytes.bindMemory(to: Element.self))
        return try unsafe body(Span(_unsafeElements: elements.extracting(range)))
    }
}

extension ZeroedMemory: Equatable {
    private func compare(with other: ZeroedMemory) -> Int32 {
        unsafe memcmp(memory.bytes.baseAddress!, other.memory.bytes.baseAddress!, memory.bytes.count)
    }

    static func == (one: ZeroedMemory, other: ZeroedMemory) -> Bool {
        one.count == other.count
            && one.compare(with: other) == 0
    }
}

/// The same bits as another vector's.
@inline(always)
func sameBits<From: SIMD, To: SIMD>(_ vector: From, as type: To.Type) -> To {
    // Both are known where this is compiled.
    precondition(MemoryLayout<From>.size == MemoryLayout<To>.size)
    return unsafe unsafeBitCast(vector, to: To.self)
}
