// What ThreadSanitizer does not see of Swift's `Mutex`: a thread that waits gets the lock from the kernel, in a function of
// the standard library, which is not instrumented. Every contended `Mutex` would be reported as a race. This library, which
// Scripts/dev/check-sanitizers loads before the standard library, says when a lock changes hands.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

// Synchronization._MutexHandle._lockSlow(UInt32) and _unlockSlow(), as Swift 6.3 names them.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// In programs built with ThreadSanitizer, and in no other.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef SWIFT_CALL void (*Lock)(uint32_t, SWIFT_SELF void *);
typedef SWIFT_CALL void (*Unlock)(SWIFT_SELF void *);

SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *mutex) __asm__(LOCK);
SWIFT_CALL void unlock_slow(SWIFT_SELF void *mutex) __asm__(UNLOCK);

SWIFT_CALL void lock_slow(uint32_t thread, SWIFT_SELF void *mutex) {
  ((Lock)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT_CALL void unlock_slow(SWIFT_SELF void *mutex) {
  if (__tsan_release) __tsan_release(mutex);
  ((Unlock)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
