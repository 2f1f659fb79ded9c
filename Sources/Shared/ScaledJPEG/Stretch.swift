/// Bytes of a file that are gone through at a time.
enum Stretch {
    #if SHORT_STRETCHES
        // The files that a fuzzer writes are small, and yet have several of each. An MCU must fit.
        static let unstuffed = 3 << 10
        static let searched = 64
    #else
        /// Entropy-coded data that is made ready for a bit reader: stays in the second-level cache beside tables.
        static let unstuffed = 64 << 10
        /// Data that is searched for a marker before `shouldStop` is asked again.
        static let searched = 1 << 20
    #endif
}
