import CLinux
import Glibc

/// A flag that a thread sleeping in `poll` can see: its descriptor becomes readable once raised, and stays so.
public final class Interruption: Sendable {
    /// To be polled for input; owned by this object.
    public let descriptor: Int32

    public init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "the process has no descriptor left for an event")
    }

    deinit { close(descriptor) }

    public func raise() {
        let written = eventfd_write(descriptor, 1)
        precondition(written == 0 || errno == EAGAIN, "an event can always be written")
    }
}
