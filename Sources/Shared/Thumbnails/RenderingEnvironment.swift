internal import Glibc

/// Variables of the environment that would change what comes out of a picture.
public enum RenderingEnvironment {
    /// TurboJPEG obeys these behind its caller's back. The same job gives the same bytes on every machine,
    /// so they must not count.
    static let ignored = ["TJ_OPTIMIZE", "TJ_ARITHMETIC", "TJ_RESTART", "TJ_PROGRESSIVE"]

    /// Makes them count no more. To be called before there is a second thread.
    public static func settle() {
        for name in ignored { unsafe unsetenv(name) }
    }
}
