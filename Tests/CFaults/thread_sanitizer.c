/*
** Informs ThreadSanitizer about Synchronization.Mutex on Linux.
**
** Without contention, a Swift mutex is an atomic word: this code is compiled into our modules, and ThreadSanitizer sees
** it. With contention, two functions of the standard library pass the word on in the kernel. ThreadSanitizer doesn't
** see these functions, and reports races that don't exist. The two functions here, linked in place of the library's,
** inform it, and call the library's. Real races are still reported: `scripts/proof/sanitize --self-test` runs one, and
** a contended mutex.
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
