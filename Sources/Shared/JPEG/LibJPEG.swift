import CLibJPEG
import Geometry

/// One decode by libjpeg-turbo: owns its C handle and translates what it says.
///
/// The bytes that the handle reads outlive it because both live inside `decode`.
@safe
struct LibJPEG: ~Copyable {
    private let handle: OpaquePointer

    private init(_ bytes: UnsafeBufferPointer<UInt8>, _ settings: DecodeSettings) throws(JPEGError) {
        let handle = unsafe clibjpeg_create(
            bytes.baseAddress, bytes.count, settings.memoryLimit,
            settings.onDamage == .stop ? 1 : 0)
        guard let handle = unsafe handle else { throw .memoryLimit(limit: settings.memoryLimit) }
        unsafe self.handle = handle
    }

    deinit { unsafe clibjpeg_destroy(handle) }

    static func decode(
        _ plan: JPEGDecoder, _ bytes: Span<UInt8>, _ layout: DecodeLayout,
        _ settings: DecodeSettings, shouldStop: () -> Bool, row: JPEGDecoder.Row
    ) throws(JPEGError) -> DecodeOutcome {
        try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(JPEGError) in
            let decoder = unsafe try LibJPEG(buffer, settings)
            return try decoder.run(
                plan, layout, settings, fileSize: buffer.count, shouldStop: shouldStop, row: row)
        }
    }

    private func run(
        _ plan: JPEGDecoder, _ layout: DecodeLayout, _ settings: DecodeSettings, fileSize: Int,
        shouldStop: () -> Bool, row: JPEGDecoder.Row
    ) throws(JPEGError) -> DecodeOutcome {
        let limit = settings.memoryLimit
        let scale = Int32(plan.scale.eighths)
        var status = unsafe clibjpeg_read_header(handle)
        if status == CLIBJPEG_OK {
            try checkAgreement(with: plan.header)
            status =
                unsafe layout == .planes
                ? clibjpeg_start_planes(handle, scale) : clibjpeg_start_pixels(handle, scale)
        }
        while status == CLIBJPEG_OK {
            if shouldStop() { throw .stopped }
            status = unsafe clibjpeg_consume(handle)
        }
        if status == CLIBJPEG_END { status = CLIBJPEG_OK }
        var next = [Int](repeating: 0, count: layout == .planes ? plan.planes.count : 1)
        while status == CLIBJPEG_OK {
            if shouldStop() { throw .stopped }
            status = unsafe clibjpeg_next_strip(handle)
            guard status == CLIBJPEG_OK else { break }
            guard deliverStrip(&next, row) == .more else { break }
        }
        if status == CLIBJPEG_FAILED { throw failure(limit: limit) }
        return outcome(of: plan.header, fileSize: fileSize, isWhole: status == CLIBJPEG_END)
    }

    private func deliverStrip(_ next: inout [Int], _ row: JPEGDecoder.Row) -> RowAnswer {
        for component in next.indices {
            let index = Int32(component)
            let count = unsafe Int(clibjpeg_row_samples(handle, index))
            for stripRow in 0..<(unsafe clibjpeg_strip_rows(handle, index)) {
                let samples = unsafe Span(
                    _unsafeStart: clibjpeg_row(handle, index, stripRow), count: count)
                let answer = row(component, next[component], samples)
                next[component] += 1
                if answer == .enough { return .enough }
            }
        }
        return .more
    }

    private func outcome(of header: JPEGHeader, fileSize: Int, isWhole: Bool) -> DecodeOutcome {
        var notes: Set<JPEGHeader.Note> = []
        if warnings(CLIBJPEG_NOT_SEQUENTIAL) > 0 { notes.insert(.wrongScanParameters) }
        // The header walk has noted the bytes before the first scan.
        if warnings(CLIBJPEG_EXTRANEOUS_BYTES) > 0, !header.notes.contains(.bytesBetweenSegments) {
            notes.insert(.bytesInsideScan)
        }
        if isWhole {
            let end = unsafe clibjpeg_end_of_image(handle)
            if end < 0 { notes.insert(.missingEndOfImage) }
            if end >= 0, end < fileSize { notes.insert(.trailingData) }
        }
        return unsafe DecodeOutcome(
            condition: condition(height: header.size.height), notes: notes,
            scans: Int(clibjpeg_scans(handle)), allocatedBytes: clibjpeg_allocated(handle))
    }

    private func condition(height: Int) -> DecodeOutcome.Condition {
        let isIncomplete = unsafe clibjpeg_is_incomplete(handle) != 0
        let rowsGood = isIncomplete ? 0 : unsafe min(height, Int(clibjpeg_good_rows(handle)))
        if warnings(CLIBJPEG_CORRUPT) > 0 { return .damaged(rowsGood: rowsGood, of: height) }
        if warnings(CLIBJPEG_TRUNCATED) > 0 { return .truncated(rowsGood: rowsGood, of: height) }
        guard isIncomplete else { return .complete }
        return warnings(CLIBJPEG_END_OF_FILE) > 0
            ? .truncated(rowsGood: 0, of: height) : .damaged(rowsGood: 0, of: height)
    }

    private func warnings(_ which: clibjpeg_warning) -> UInt32 { unsafe clibjpeg_warnings(handle, which) }

    private func failure(limit: Int) -> JPEGError {
        let words = unsafe String(cString: clibjpeg_failure_text(handle))
        return switch unsafe clibjpeg_failure(handle) {
        case CLIBJPEG_CAUSE_MEMORY: .memoryLimit(limit: limit)
        case CLIBJPEG_CAUSE_UNSUPPORTED: .unsupported(.decoder(words))
        default: .malformed(.decoder(words))
        }
    }

    /// The plan was made from our own reading of the header. Should libjpeg read it otherwise, rows
    /// would have other lengths than promised. Thrown, not trapped: a file must not end the process.
    private func checkAgreement(with header: JPEGHeader) throws(JPEGError) {
        guard reading == LibJPEGReading(of: header) else {
            throw .malformed(.decoder("libjpeg reads another header than ours"))
        }
    }

    private var reading: LibJPEGReading {
        let components = unsafe 0..<clibjpeg_components(handle)
        return unsafe LibJPEGReading(
            width: Int(clibjpeg_width(handle)), height: Int(clibjpeg_height(handle)),
            precision: Int(clibjpeg_precision(handle)),
            horizontal: components.map { unsafe Int(clibjpeg_horizontal_sampling(handle, $0)) },
            vertical: components.map { unsafe Int(clibjpeg_vertical_sampling(handle, $0)) },
            colour: colour, isMultiScan: clibjpeg_is_multi_scan(handle) != 0)
    }

    private var colour: JPEGHeader.ColourModel {
        switch unsafe clibjpeg_colour_model(handle) {
        case CLIBJPEG_GREY: .grey
        case CLIBJPEG_RGB: .rgb
        case CLIBJPEG_YCC: .yCbCr
        case CLIBJPEG_CMYK: .cmyk
        case CLIBJPEG_YCCK: .ycck
        default: .unknown
        }
    }

    /// What libjpeg makes of a file's header, without decoding.
    static func reading(of bytes: Span<UInt8>) throws(JPEGError) -> LibJPEGReading {
        try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(JPEGError) in
            let limit = 1 << 20
            let decoder = unsafe try LibJPEG(buffer, DecodeSettings(memoryLimit: limit, onDamage: .carryOn))
            guard unsafe clibjpeg_read_header(decoder.handle) == CLIBJPEG_OK else {
                throw decoder.failure(limit: limit)
            }
            return decoder.reading
        }
    }
}

/// The part of a header that libjpeg and the header walk must agree on.
struct LibJPEGReading: Hashable {
    let width: Int
    let height: Int
    let precision: Int
    let horizontal: [Int]
    let vertical: [Int]
    let colour: JPEGHeader.ColourModel
    let isMultiScan: Bool
}

extension LibJPEGReading {
    init(of header: JPEGHeader) {
        self.init(
            width: header.size.width, height: header.size.height, precision: header.precision,
            horizontal: header.components.map(\.h), vertical: header.components.map(\.v),
            colour: header.colour, isMultiScan: header.isMultiScan)
    }
}
