import ServiceManager
import TestSupport
import Testing

/// What a service manager hears, over sockets of both kinds.
struct NotifySocketTests {
    @Test(arguments: [false, true])
    func `assignments arrive in one datagram, a line each`(isAbstract: Bool) throws {
        let manager = try TestServiceManager(isAbstract: isAbstract)
        let socket = try NotifySocket(at: manager.address)
        #expect(socket.send(["READY=1", "STATUS=two\nlines"]))
        #expect(manager.receive() == ["READY=1", "STATUS=two lines"])
    }

    @Test func `a manager that has gone, or hears nothing, holds nobody up`() throws {
        let manager = try TestServiceManager(isAbstract: false)
        let socket = try NotifySocket(at: manager.address)
        // Nobody reads: the queue is full sooner or later, and then it is not waited for.
        #expect((0..<10_000).contains { _ in !socket.send(["WATCHDOG=1"]) })
        manager.close()
        #expect(!socket.send(["WATCHDOG=1"]))
    }

    @Test(arguments: ["relative", "@", "/" + String(repeating: "a", count: 108), "vsock:2:1234"])
    func `what is no socket's address is refused`(address: String) {
        #expect(throws: NotifyError.badAddress(address)) { _ = try NotifySocket(at: address) }
    }

    @Test func `nobody at the address is an error with the kernel's words`() {
        #expect(
            performing: { _ = try NotifySocket(at: "/nowhere/notify") },
            throws: { "\($0)" == "NOTIFY_SOCKET=/nowhere/notify: No such file or directory" })
    }

    @Test(arguments: [
        (["WATCHDOG_USEC": "30000000"], Duration.seconds(30)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], .seconds(30)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_USEC": "0"], nil),
        (["WATCHDOG_USEC": "x"], nil), (["WATCHDOG_USEC": "-1"], nil), ([:], nil),
    ])
    func `a watchdog waits for the process that it is meant for`(
        environment: [String: String], interval: Duration?
    ) {
        #expect(WatchdogInterval.of(environment, pid: 7) == interval)
    }
}
