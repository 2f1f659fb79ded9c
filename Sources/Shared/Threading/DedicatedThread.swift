import CLinux
import Glibc
import Synchronization

/// One operating-system thread that runs one closure to its end.
///
/// All signals are blocked on it: they belong to the thread that waits for them (`ProcessSignals`).
/// A blocked SIGPIPE also means that writing to a closed socket is an error code there, not the end
/// of the process.
public final class DedicatedThread: Sendable {
    private enum Handle: Sendable { case running(pthread_t), joined }
    private let handle: Mutex<Handle>

    /// Starts the thread. The first 15 bytes of `name` show in `top -H` and in debuggers.
    /// `stackBytes` is reserved address space; only touched pages count as memory.
    ///
    /// Traps when the kernel refuses: a process that cannot start its few fixed threads cannot run.
    public init(name: String, stackBytes: Int = 256 << 10, body: @escaping @Sendable () -> Void) {
        guard let thread = Self.start(name: name, stackBytes: stackBytes, body: body) else {
            preconditionFailure("the kernel refused to start the thread \(name)")
        }
        handle = Mutex(.running(thread))
    }

    /// Starts a thread that nobody joins; false when the kernel refuses, with nothing started.
    static func detach(name: String, stackBytes: Int, body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = start(name: name, stackBytes: stackBytes, body: body) else { return false }
        pthread_detach(thread)
        return true
    }

    /// Blocks the calling thread until the closure has returned. Further calls return at once.
    public func join() {
        let thread: pthread_t? = handle.withLock { handle in
            guard case .running(let thread) = handle else { return nil }
            handle = .joined
            return thread
        }
        if let thread { pthread_join(thread, nil) }
    }

    /// Sends a signal to this thread alone.
    func send(_ signal: Int32) {
        handle.withLock { if case .running(let thread) = $0 { _ = pthread_kill(thread, signal) } }
    }

    deinit {
        handle.withLock { if case .running(let thread) = $0 { _ = pthread_detach(thread) } }
    }

    private static func start(
        name: String, stackBytes: Int, body: @escaping @Sendable () -> Void
    ) -> pthread_t? {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        let sized = unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        precondition(sized == 0, "a stack of \(stackBytes) bytes is below the system's minimum")

        // The mask is inherited: block first, so that no signal finds the new thread open.
        var all = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }

        let start = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var thread = pthread_t()
        let created = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue()
                unsafe linux_name_this_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        guard created == 0 else {
            unsafe start.release()
            return nil
        }
        return thread
    }
}

/// What travels through pthread_create's one pointer.
private final class ThreadStart {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
        self.body = body
    }
}
