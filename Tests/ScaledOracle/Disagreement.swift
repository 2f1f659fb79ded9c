public import Geometry
public import JPEG
public import ScaledJPEG

/// How decodes of one file contradict each other.
public enum Disagreement: Error, Hashable, Sendable {
    /// `ScaledDecoder` took what the header walk or libjpeg-turbo refuses.
    case libjpegRefuses(JPEGError)
    case libjpegFinds(DecodeOutcome.Condition)
    /// What libjpeg noted, where `ScaledDecoder` saw something else, or nothing.
    case notes(libjpeg: Set<JPEGHeader.Note>)
    case components(Int, libjpeg: Int)
    case rows(Int, libjpeg: Int, component: Int)
    case row(Int, component: Int)

    /// Planes of other sizes than the header promised, or none promised.
    case forecast(at: DecodeScale)
    /// Where the end of the image was said to be, and is not.
    case endOfImage(Int)
    /// Taken at a larger scale, and declined at this one, which needs no more of the file.
    case declined(Declined, at: DecodeScale)
    /// A block's one sample at 1/8 is not the mean of those that it has at this scale.
    case mean(at: DecodeScale, component: Int, column: Int, row: Int)
    /// With an automaton for short bands another picture, or none.
    case automaton
    /// With chroma of luma's size at half of the scale other planes than at both scales, or none.
    case halvedChroma(at: DecodeScale)
}
