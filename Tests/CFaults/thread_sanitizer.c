/*
** Teaches ThreadSanitizer about Synchronization.Mutex on Linux.
**
** Where nobody waits, a Swift mutex is an atomic word: code that is compiled into our modules, which ThreadSanitizer
** sees. Where somebody waits, the standard library hands the word over in the kernel, in two functions that it does not
** see: it then reports races that there are not. These two, linked in the place of the library's, tell it, and call the
** library's. Real races stay visible: `scripts/proof/sanitize --self-test` shows one, and a contended mutex beside it.
*/
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && defined(__linux__)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *);
void __tsan_release(void *);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef SWIFT void (*lock_function)(uint32_t, SELF void *);
typedef SWIFT void (*unlock_function)(SELF void *);

static void *library_function(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function == 0) abort();
    return function;
}

SWIFT void amalgam_lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK_SLOW);
SWIFT void amalgam_unlock_slow(SELF void *mutex) __asm__(UNLOCK_SLOW);

SWIFT void amalgam_lock_slow(uint32_t thread, SELF void *mutex) {
    static _Atomic(void *) function;
    if (function == 0) function = library_function(LOCK_SLOW);
    ((lock_function)function)(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT void amalgam_unlock_slow(SELF void *mutex) {
    static _Atomic(void *) function;
    if (function == 0) function = library_function(UNLOCK_SLOW);
    __tsan_release(mutex);
    ((unlock_function)function)(mutex);
}

#endif
#endif
