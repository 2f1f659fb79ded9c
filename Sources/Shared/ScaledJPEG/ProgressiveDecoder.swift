/// Progressive files: the scans that a scale needs, and no others.
///
/// At 1/8 these are the DC scans, a tenth of a file or less. Of each block only the k × k coefficients are
/// kept that the scale has: 2 bytes at 1/8, where libjpeg keeps 128.
///
/// Of scans that are passed over only the restart markers are checked. A file that is damaged nowhere else is
/// decoded here as if it were sound, while libjpeg-turbo, which reads all of it, may refuse it.
enum ProgressiveDecoder {
    /// - Parameters:
    ///   - unread: bits of each component's AC coefficients that need not be read, from the lowest;
    ///     nil = as many as do not show.
    ///   - fewestBlocks: of a component for which an automaton is worth its tables.
    static func decode(
        _ bytes: Span<UInt8>, _ frame: FrameHeader, from first: ScanHeader, _ segments: SegmentReader,
        eighths k: Int, unread: [Int]? = nil, fewestBlocks: Int,
        shouldStop: () -> Bool
    ) throws(Declined) -> ScaledPicture {
        let script = try ProgressiveScript(bytes, frame, from: first, segments, shouldStop: shouldStop)
        let unread = unread ?? UnreadBits.counts(script, frame, eighths: k)
        let selection = ScanSelection(script, eighths: k, unread: unread)
        let kept = KeptCoefficients(eighths: k)
        var coefficients = LowCoefficients(of: frame, eighths: k, remembering: selection.remembering)
        var window = ScanWindow()
        for (scan, use) in zip(script.scans, selection.uses) {
            guard let use else { continue }
            let walk = ScanWalk(scan.header, in: frame)
            func read(_ loop: consuming some ScanLoop) throws(Declined) {
                try walk.read(scan.data, of: bytes, &window, &coefficients, shouldStop: shouldStop, by: &loop)
            }
            switch (scan.header.isDC, scan.header.isRefinement) {
            case (true, false): try read(DCFirstScan(scan, in: frame))
            case (true, true): try read(DCRefinementScan(scan, in: frame))
            case (false, false):
                try read(
                    ACFirstScan(
                        scan, in: frame, kept: kept, recordsHistory: use.recordsHistory,
                        fewestBlocks: fewestBlocks))
            case (false, true): try read(ACRefinementScan(scan, kept: kept))
            }
        }
        coefficients.forgetHistory()
        let planes = try coefficients.planes(
            of: frame, script.quantisation, eighths: k, leftOut: selection.leftOut, shouldStop: shouldStop)
        return ScaledPicture(planes: planes, endOfImage: script.endOfImage)
    }
}

extension ProgressiveDecoder {
    /// Coefficients of the whole picture, two bytes each. Above 1/8, while scans are read, also a word a
    /// block that says which of its coefficients are not zero, at most of all components: of those that are
    /// refined; then the planes.
    static func peakBytes(of frame: FrameHeader, eighths k: Int) -> Int {
        let blocks = frame.components.reduce(0) { $0 + $1.columnsKept(eighths: k) * $1.storedRows }
        let history = k > 1 ? blocks * MemoryLayout<UInt64>.size : 0
        let planes = ScaledPlane.bytes(of: frame, eighths: k)
        return blocks * k * k * MemoryLayout<Int16>.size + max(history, planes) + fixedBytes
    }

    /// A window of the file, lookup tables, and the script's scans, 500 at most.
    private static let fixedBytes = 256 << 10
}
