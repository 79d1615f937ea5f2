// What the thread sanitizer is not told: Swift's Mutex on Linux waits and wakes in the kernel, from a library that is not
// instrumented. The fast way is atomic operations in instrumented code and is understood; without this file, a thread that had to wait for
// a mutex would look as if it had taken none. Preloaded by Tools/sanitize, it stands in for the two slow ways and says what they
// mean. In a process without the sanitizer it only hands on.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT_METHOD __attribute__((swiftcall, visibility("default")))
#define SWIFT_SELF __attribute__((swift_context))
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void (*lock_slow_function)(uint32_t thread, SWIFT_SELF void *handle);
typedef __attribute__((swiftcall)) void (*unlock_slow_function)(SWIFT_SELF void *handle);
typedef void (*tell_function)(void *address);

static lock_slow_function real_lock_slow;
static unlock_slow_function real_unlock_slow;
static tell_function acquire;
static tell_function release;

__attribute__((constructor)) static void look_up(void) {
  real_lock_slow = (lock_slow_function)dlsym(RTLD_NEXT, LOCK_SLOW);
  real_unlock_slow = (unlock_slow_function)dlsym(RTLD_NEXT, UNLOCK_SLOW);
  acquire = (tell_function)dlsym(RTLD_DEFAULT, "__tsan_acquire");
  release = (tell_function)dlsym(RTLD_DEFAULT, "__tsan_release");
}

SWIFT_METHOD void lock_slow(uint32_t thread, SWIFT_SELF void *handle) __asm__(LOCK_SLOW);
SWIFT_METHOD void unlock_slow(SWIFT_SELF void *handle) __asm__(UNLOCK_SLOW);

SWIFT_METHOD void lock_slow(uint32_t thread, SWIFT_SELF void *handle) {
  real_lock_slow(thread, handle);
  if (acquire) acquire(handle);
}

SWIFT_METHOD void unlock_slow(SWIFT_SELF void *handle) {
  if (release) release(handle);
  real_unlock_slow(handle);
}
