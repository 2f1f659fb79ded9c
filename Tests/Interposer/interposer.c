// Stands between a program and the C library when it is preloaded (LD_PRELOAD), so that tests can see and
// slow down what no file system at hand does:
//   INTERPOSER_READ_DELAY_MS   each read of a regular file takes this long, as from a network share
//   INTERPOSER_FSYNC_LOG       a line is appended to this file for each fsync
//   INTERPOSER_CLOCK_FILE      the wall clock is off by as many seconds as this file says at the moment
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "interposer.h"

static void delay_if_regular(int file) {
    const char *text = getenv("INTERPOSER_READ_DELAY_MS");
    struct stat status;
    if (text == NULL || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        return;
    }
    long milliseconds = atol(text);
    struct timespec length = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&length, NULL);
}

ssize_t pread(int file, void *buffer, size_t count, off_t offset) {
    ssize_t (*next)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread");
    delay_if_regular(file);
    return next(file, buffer, count, offset);
}

ssize_t pread64(int file, void *buffer, size_t count, off_t offset) {
    return pread(file, buffer, count, offset);
}

int fsync(int file) {
    int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
    const char *path = getenv("INTERPOSER_FSYNC_LOG");
    if (path != NULL) {
        int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (log >= 0) {
            if (write(log, "fsync\n", 6) < 0) {
                abort();
            }
            close(log);
        }
    }
    return next(file);
}

// Zero while the file is empty, as it is for an instant when a test writes it.
static long clock_offset(void) {
    const char *path = getenv("INTERPOSER_CLOCK_FILE");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    char text[32] = {0};
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    return count > 0 ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        now->tv_sec += clock_offset();
    }
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result != NULL) {
        *result = now.tv_sec;
    }
    return now.tv_sec;
}
