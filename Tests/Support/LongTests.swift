import Glibc

/// Whether tests run at their full size, which takes minutes: with `THUMBNAIL_LONG_TESTS=1`.
public enum LongTests {
    public static let areOn = unsafe getenv("THUMBNAIL_LONG_TESTS").map { unsafe String(cString: $0) } == "1"
}
