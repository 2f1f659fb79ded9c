"""Shows a folder once more, where every answer comes late: slow_files.py FOLDER MOUNTPOINT SECONDS

A file system of its own (FUSE), so that it is the kernel that waits: looking up a name, opening and reading take that
long each, any number of them at a time. Prints a line once it is mounted, and ends when it is unmounted.
"""

import errno
import os
import sys
import time

from fusepy import FUSE, FuseOSError, Operations


class SlowFiles(Operations):
    def __init__(self, folder, delay):
        self.folder, self.delay = folder, delay

    def init(self, path):
        print("mounted", flush=True)

    def getattr(self, path, handle=None):
        try:
            status = os.lstat(self.folder + path)
        except OSError as error:
            raise FuseOSError(error.errno) from error
        names = ("st_mode", "st_size", "st_uid", "st_gid", "st_nlink", "st_atime", "st_mtime", "st_ctime")
        return {name: getattr(status, name) for name in names}

    def readdir(self, path, handle):
        return [".", "..", *os.listdir(self.folder + path)]

    def open(self, path, flags):
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise FuseOSError(errno.EROFS)
        time.sleep(self.delay)
        return os.open(self.folder + path, os.O_RDONLY)

    def read(self, path, size, offset, handle):
        time.sleep(self.delay)
        return os.pread(handle, size, offset)

    def release(self, path, handle):
        os.close(handle)


# direct_io: the kernel asks for each read, and keeps nothing.
FUSE(SlowFiles(sys.argv[1], float(sys.argv[3])), sys.argv[2], foreground=True, ro=True, direct_io=True)
