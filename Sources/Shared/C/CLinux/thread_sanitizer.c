// Nothing, but where thread sanitizer is built in (`make sanitize`).
//
// A contended Mutex of Swift's is taken and given back in two functions of its library, which is built without the
// sanitizer: it would take whatever two threads do under that mutex for a race. These stand before the library's, do
// the same through them, and tell the sanitizer.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

void __tsan_acquire(void *address);
void __tsan_release(void *address);

SWIFT void lock_slowly(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void unlock_slowly(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock_slowly(uint32_t thread, SELF void *mutex) {
    SWIFT void (*next)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
    next(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT void unlock_slowly(SELF void *mutex) {
    SWIFT void (*next)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
    __tsan_release(mutex);
    next(mutex);
}
#endif
#endif
