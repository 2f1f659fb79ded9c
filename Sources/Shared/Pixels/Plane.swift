/// One colour channel of a picture with 8 bits a sample.
public typealias Plane = SamplePlane<UInt8>

/// One colour channel in linear light: 0 is black, 65,535 is white.
public typealias LinearPlane = SamplePlane<UInt16>

/// A rectangle of samples with one owner: row after row from the top, no gap between rows (the
/// stride is the width). Zeroed when made.
///
/// Rows are lent as spans, which cannot outlive the plane.
@safe public struct SamplePlane<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>: ~Copyable {
    public let width: Int
    public let height: Int
    private let memory: SampleMemory<Sample>

    /// - Parameters: width and height in samples, each at least 1.
    public init(width: Int, height: Int) {
        precondition(width > 0 && height > 0, "a plane of \(width)x\(height) samples")
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        precondition(!overflow, "a plane of \(width)x\(height) samples exceeds the address space")
        self.width = width
        self.height = height
        memory = SampleMemory(count: count)
    }

    /// All samples, row after row.
    public var samples: Span<Sample> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span(_unsafeStart: memory.base, count: memory.count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// All samples, row after row, to be written.
    public var mutableSamples: MutableSpan<Sample> {
        @_lifetime(&self)
        mutating get {
            let span = unsafe MutableSpan(_unsafeStart: memory.base, count: memory.count)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }

    /// Row y, 0 at the top; `width` samples.
    @_lifetime(borrow self)
    public func row(_ y: Int) -> Span<Sample> {
        let span = unsafe Span(_unsafeStart: rowPointer(y), count: width)
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// Row y, 0 at the top, to be written; `width` samples.
    @_lifetime(&self)
    public mutating func mutableRow(_ y: Int) -> MutableSpan<Sample> {
        let span = unsafe MutableSpan(_unsafeStart: rowPointer(y), count: width)
        return unsafe _overrideLifetime(span, mutating: &self)
    }

    /// The bytes that a plane of this size takes from the process.
    public static func allocatedBytes(width: Int, height: Int) -> Int {
        SampleMemory<Sample>.allocatedBytes(count: width * height)
    }

    /// The bytes that this plane takes from the process.
    public var allocatedBytes: Int { memory.allocatedBytes }

    func rowPointer(_ y: Int) -> UnsafeMutablePointer<Sample> {
        precondition(y >= 0 && y < height, "row \(y) of \(height)")
        return unsafe memory.base + y * width
    }
}
