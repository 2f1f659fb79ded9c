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
        at scales: ComponentScales, unread: [Int]? = nil, fewestBlocks: Int,
        shouldStop: () -> Bool
    ) throws(Declined) -> ScaledPicture {
        let script = try ProgressiveScript(bytes, frame, from: first, segments, shouldStop: shouldStop)
        let unread = unread ?? UnreadBits.counts(script, frame, at: scales)
        let selection = ScanSelection(script, at: scales, unread: unread)
        let kept = frame.components.indices.map { KeptCoefficients(eighths: scales[$0]) }
        var coefficients = LowCoefficients(of: frame, at: scales, remembering: selection.remembering)
        var window = ScanWindow()
        for (scan, use) in zip(script.scans, selection.uses) {
            guard let use else { continue }
            let walk = ScanWalk(scan.header, in: frame)
            let kept = kept[scan.header.components[0].index]
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
            of: frame, script.quantisation, at: scales, leftOut: selection.leftOut, shouldStop: shouldStop)
        return ScaledPicture(planes: planes, endOfImage: script.endOfImage)
    }
}

extension ProgressiveDecoder {
    /// Coefficients of the whole picture, two bytes each. Above 1/8, while scans are read, also a word a
    /// block that says which of its coefficients are not zero, at most of all components: of those that are
    /// refined; then the planes.
    static func peakBytes(of frame: FrameHeader, at scales: ComponentScales) -> Int {
        var (coefficients, history) = (0, 0)
        for (index, component) in frame.components.enumerated() {
            let k = scales[index]
            let blocks = component.columnsKept(eighths: k) * component.storedRows
            coefficients += blocks * k * k * MemoryLayout<Int16>.size
            if k > 1 { history += blocks * MemoryLayout<UInt64>.size }
        }
        return coefficients + max(history, ScaledPlane.bytes(of: frame, at: scales)) + fixedBytes
    }

    /// A window of the file, lookup tables, and the script's scans, 500 at most.
    private static let fixedBytes = 256 << 10
}
