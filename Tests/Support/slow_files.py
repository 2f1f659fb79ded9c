"""Shows a folder once more, where every answer comes late: slow_files.py FOLDER MOUNTPOINT SECONDS

A file system of its own (FUSE), so that it is the kernel that waits: looking up a name, opening and reading take that
long each, any number of them at a time; while this program is stopped, nothing answers at all. Prints a line once
it is mounted, and ends when it is unmounted.
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
        time.sleep(self.delay)
        return os.open(self.folder + path, flags & ~os.O_CREAT)

    def create(self, path, mode, info=None):
        return os.open(self.folder + path, os.O_WRONLY | os.O_CREAT, mode)

    def write(self, path, data, offset, handle):
        return os.pwrite(handle, data, offset)

    def rename(self, old, new):
        os.rename(self.folder + old, self.folder + new)

    def unlink(self, path):
        os.unlink(self.folder + path)

    def mkdir(self, path, mode):
        os.mkdir(self.folder + path, mode)

    def read(self, path, size, offset, handle):
        time.sleep(self.delay)
        return os.pread(handle, size, offset)

    def release(self, path, handle):
        os.close(handle)


# direct_io: the kernel asks for each read, and keeps nothing.
FUSE(SlowFiles(sys.argv[1], float(sys.argv[3])), sys.argv[2], foreground=True, direct_io=True)
