// Raises a fence around itself, tries what it allows and what it forbids, and prints what came of each:
//
//     FenceProbe READABLE WRITABLE OUTSIDE [any-port]
//     holds: files ports signals calls
//     read inside: done
//     read outside: Permission denied
//
// All three are folders; READABLE and OUTSIDE have a file `a` in them, and READABLE a link `outside` to the latter.
// Of TCP's ports, 1 is needed, or any; nobody listens there.

import Glibc
import Sandbox
import Threading

let folders = Array(CommandLine.arguments.dropFirst())
guard folders.count == 3 || folders.count == 4 && folders[3] == "any-port" else {
    print("usage: FenceProbe READABLE WRITABLE OUTSIDE [any-port]")
    exit(64)
}
let (inside, output, outside) = (folders[0], folders[1], folders[2])
let state = Fence.raise(
    around: Needs(
        readable: [inside], system: SystemFiles.runtime, writable: [output],
        ports: folders.count == 3 ? [1] : nil))
print("holds:", state.holds.map(\.rawValue).joined(separator: " "))

attempt("read inside") { opened(inside + "/a", O_RDONLY) }
attempt("list inside") { opened(inside, O_RDONLY | O_DIRECTORY) }
attempt("make a file") { opened(output + "/a.tmp", O_WRONLY | O_CREAT | O_EXCL) }
attempt("rename a file") { unsafe rename(output + "/a.tmp", output + "/a") }
attempt("make a folder") { unsafe mkdir(output + "/folder", 0o777) }
attempt("remove a file") { unsafe unlink(output + "/a") }
attempt("read its own figures") { opened("/proc/self/statm", O_RDONLY) }
attempt("read the kernel's figures") { opened("/proc/stat", O_RDONLY) }
attempt("signal itself") { kill(getpid(), 0) }
attempt("connect") { connected(to: 1) }

attempt("write among the sources") { opened(inside + "/a", O_WRONLY) }
attempt("make a file among the sources") { opened(inside + "/new", O_WRONLY | O_CREAT) }
attempt("make a link") { unsafe symlink(outside, output + "/link") }
attempt("make a device") { unsafe mknod(output + "/device", S_IFCHR | 0o600, 0x103) }
attempt("read outside") { opened(outside + "/a", O_RDONLY) }
attempt("read outside through a link") { opened(inside + "/outside", O_RDONLY) }
attempt("read /etc/passwd") { opened("/etc/passwd", O_RDONLY) }
attempt("list outside") { opened(outside, O_RDONLY | O_DIRECTORY) }
attempt("write outside") { opened(outside + "/a", O_WRONLY) }
attempt("make a file outside") { opened(outside + "/new", O_WRONLY | O_CREAT) }
attempt("remove a file outside") { unsafe unlink(outside + "/a") }
DedicatedThread(name: "later") {
    attempt("read outside from a later thread") { opened(folders[2] + "/a", O_RDONLY) }
}.join()

attempt("read another process's environment") { opened("/proc/\(getppid())/environ", O_RDONLY) }
attempt("read another process's memory") { opened("/proc/\(getppid())/mem", O_RDONLY) }
attempt("list the processes") { opened("/proc", O_RDONLY | O_DIRECTORY) }
attempt("connect to another port") { connected(to: 2) }
attempt("listen") { bound() }
attempt("signal the parent") { kill(getppid(), 0) }

attempt("become a program") { become("/bin/true") }
attempt("start a program") { started("/bin/true") }
attempt("truncate a file outside") { unsafe truncate(outside + "/a", 0) }
attempt("change a file's mode") { unsafe chmod(outside + "/a", 0o777) }
attempt("change a file's owner") { unsafe chown(outside + "/a", 1, 1) }
attempt("mount") { unsafe mount("none", output, "tmpfs", 0, nil) }
attempt("become another user") { setuid(1) }
