/// What glibc and Swift's runtime read on their own while a program runs.
public enum SystemFiles {
    /// Figures of the kernel; processors and limits; libraries that glibc loads on demand.
    ///
    /// All of /proc: libdispatch reads /proc/<thread>/stat of threads that are not there yet, and traps where it
    /// may not. What other processes keep to themselves stays theirs, since Landlock denies to look into them.
    public static let runtime = [
        "/proc", "/sys/fs/cgroup", "/sys/devices/system/cpu", "/etc/ld.so.cache",
        "/lib", "/lib64", "/usr/lib", "/usr/lib64",
    ]

    /// What a host's name is looked up in. The three directories are where /etc/resolv.conf often points to,
    /// and where it is replaced by renaming. A plain /etc/resolv.conf that is replaced so is a new file, which
    /// no rule knows: the program has to be started again.
    public static let hostNames = [
        "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
        "/etc/services", "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager",
    ]

    /// Where name servers answer what is too long for UDP.
    public static let namePort: UInt16 = 53
}
