import Glibc

/// Prints what came of a call that answers like a system call: -1 and `errno` where it is refused.
func attempt(_ what: String, _ call: () -> Int32) {
    errno = 0
    let answer = call()
    let reason = answer < 0 ? errno : 0
    print("\(what): \(reason == 0 ? "done" : unsafe String(cString: strerror(reason)))")
}

func opened(_ path: String, _ flags: Int32) -> Int32 {
    let descriptor = unsafe open(path, flags, 0o600)
    let reason = errno
    if descriptor >= 0 { close(descriptor) }
    errno = reason
    return descriptor
}

/// Connects to a port of this machine.
func connected(to port: UInt16) -> Int32 {
    unsafe onSocket(port) { unsafe connect($0, $1, $2) }
}

/// Takes any free port of this machine.
func bound() -> Int32 {
    unsafe onSocket(0) { unsafe bind($0, $1, $2) }
}

private func onSocket(_ port: UInt16, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    place.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let answer = unsafe withUnsafePointer(to: place) { place in
        unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    let reason = errno
    close(descriptor)
    errno = reason
    return answer
}

/// Puts a program in this one's place.
func become(_ program: String) -> Int32 {
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup(program), nil]
    return unsafe execv(program, &arguments)
}

/// Starts a program beside this one.
func started(_ program: String) -> Int32 {
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup(program), nil]
    var pid: pid_t = 0
    let code = unsafe posix_spawn(&pid, program, nil, nil, &arguments, nil)
    errno = code
    return code == 0 ? 0 : -1
}
