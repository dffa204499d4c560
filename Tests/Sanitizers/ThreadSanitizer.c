// What ThreadSanitizer lacks for Swift. Scripts/dev/check-sanitizers loads this library before all others.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

// A thread that waits for a `Mutex` gets it from the kernel, in a function of Swift's library that is not instrumented:
// each contended one would be reported as a race. These say when it changes hands.
//
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

// Called for `inout` in code of Swift; programs have them, and do not show them to the plugins that they load.
void __tsan_external_read(void *address, void *caller, void *tag) { (void)address, (void)caller, (void)tag; }
void __tsan_external_write(void *address, void *caller, void *tag) { (void)address, (void)caller, (void)tag; }
