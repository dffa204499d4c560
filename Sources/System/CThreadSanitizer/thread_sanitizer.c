// Tells ThreadSanitizer about Swift's runtime; see Scripts/dev/check-sanitizers.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

// A thread that waits for a `Mutex` receives it from the kernel, in a function of Swift's library that is not
// instrumented, so each contended mutex would be reported as a race. These functions tell the sanitizer when a mutex
// changes hands.
//
// Synchronization._MutexHandle._lockSlow(UInt32) and _unlockSlow(), as Swift 6.3 names them.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

extern void __tsan_acquire(void *);
extern void __tsan_release(void *);

typedef SWIFT_CALL void (*Lock)(uint32_t, SWIFT_SELF void *);
typedef SWIFT_CALL void (*Unlock)(SWIFT_SELF void *);

SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *mutex) __asm__(LOCK);
SWIFT_CALL void unlock_slow(SWIFT_SELF void *mutex) __asm__(UNLOCK);

SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *mutex) {
  ((Lock)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT_CALL void unlock_slow(SWIFT_SELF void *mutex) {
  __tsan_release(mutex);
  ((Unlock)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}

// All empty arrays share one object, and creating one writes its count of 0 again, which would be reported as a race.
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "race:_swiftEmptyArrayStorage\n"; }

#endif
#endif
