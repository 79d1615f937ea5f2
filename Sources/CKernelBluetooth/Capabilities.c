#define _GNU_SOURCE
#include "Capabilities.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// What runs in a signal's handler, or in a process that was just forked, must not call into a sanitizer.
#define PLAIN __attribute__((disable_sanitizer_instrumentation))

// The C library's own signal for setuid in all threads. Its handler ignores what does not come from setuid itself, so one of ours that
// arrives late does no harm.
static const int setuid_signal = 33;

PLAIN uint64_t kernel_capabilities_permitted(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) < 0) return 0;
  return (uint64_t)data[1].permitted << 32 | data[0].permitted;
}

PLAIN int kernel_capabilities_give_up_here(uint64_t capabilities) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) < 0) return errno;
  for (int half = 0; half < 2; half++) {
    uint32_t kept = ~(uint32_t)(capabilities >> (32 * half));
    data[half].effective &= kept;
    data[half].permitted &= kept;
    // The kernel takes out of the ambient set what is not permitted or not inheritable.
    data[half].inheritable &= kept;
  }
  return syscall(SYS_capset, &header, data) < 0 ? errno : 0;
}

PLAIN int kernel_capabilities_keep_here(uint64_t capabilities) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) < 0) return errno;
  for (int half = 0; half < 2; half++) {
    data[half].permitted &= (uint32_t)(capabilities >> (32 * half));
    data[half].effective = data[half].permitted;
    data[half].inheritable = 0;
  }
  return syscall(SYS_capset, &header, data) < 0 ? errno : 0;
}

typedef void (*Handler)(int, siginfo_t *, void *);

static _Atomic uint64_t asked_for;
static _Atomic(Handler) handler_before;

PLAIN static void handle(int number, siginfo_t *information, void *context) {
  if (information->si_code == SI_QUEUE && information->si_value.sival_ptr == (void *)&asked_for) {
    int error = errno;
    kernel_capabilities_give_up_here(atomic_load(&asked_for));
    errno = error;
  } else {
    Handler before = atomic_load(&handler_before);
    if (before) before(number, information, context);
  }
}

// The kernel's own structure for a signal's action, larger than any of its forms: the handler, the flags, and what is taken over as it is.
struct Action {
  Handler handler;
  unsigned long flags;
  unsigned long rest[14];
};

static long exchange_action(const struct Action *action, struct Action *before) {
  return syscall(SYS_rt_sigaction, setuid_signal, action, before, sizeof(uint64_t));
}

static int ask(pid_t thread) {
  siginfo_t information;
  memset(&information, 0, sizeof information);
  information.si_signo = setuid_signal;
  information.si_code = SI_QUEUE;
  information.si_pid = getpid();
  information.si_uid = getuid();
  information.si_value.sival_ptr = (void *)&asked_for;
  return (int)syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, setuid_signal, &information);
}

// Whether a thread has one of the capabilities: 1 or 0, or -1 where it cannot be read. One that has ended has none.
static int has(pid_t thread, uint64_t capabilities) {
  static const char *const sets[] = {"CapInh:", "CapPrm:", "CapEff:", "CapAmb:"};
  char path[64], text[8192];
  snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT || errno == ESRCH ? 0 : -1;
  ssize_t count = read(file, text, sizeof text - 1);
  int error = errno;
  close(file);
  if (count < 0) return error == ESRCH ? 0 : -1;
  text[count] = 0;
  const char *state = strstr(text, "\nState:\t");
  if (!state) return -1;
  // The first thread stays as a zombie where it has ended before the others, as in dispatchMain(): it never runs again.
  if (state[8] == 'Z' || state[8] == 'X') return 0;
  for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
    const char *line = strstr(state, sets[set]);
    if (!line) return -1;
    if (strtoull(line + strlen(sets[set]), NULL, 16) & capabilities) return 1;
  }
  return 0;
}

// How many threads have one of the capabilities, or -1 where that cannot be read. Each is asked to give them up, if `may_ask`.
//
// None is conclusive: a thread is behind the one that made it in the kernel's list, which is read in that order, and a thread that is
// asked while it makes another obeys only when that one is in the list.
static int look_at_all(uint64_t capabilities, int may_ask) {
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return -1;
  int found = 0;
  struct dirent *entry;
  while (found >= 0 && (entry = readdir(threads))) {
    pid_t thread = atoi(entry->d_name);
    if (thread <= 0) continue;
    int answer = has(thread, capabilities);
    if (answer < 0) {
      found = -1;
    } else if (answer > 0) {
      found++;
      if (may_ask) ask(thread);
    }
  }
  closedir(threads);
  return found;
}

int kernel_capabilities_give_up(uint64_t capabilities) {
  int error = kernel_capabilities_give_up_here(capabilities);
  if (error) return error;
  struct Action before, action;
  memset(&before, 0, sizeof before);
  if (exchange_action(NULL, &before) < 0) return errno;
  // The C library installs its handler with the first other thread.
  int is_installed = (uintptr_t)before.handler > (uintptr_t)SIG_IGN;
  atomic_store(&asked_for, capabilities);
  if (is_installed) {
    atomic_store(&handler_before, before.handler);
    action = before;
    action.handler = handle;
    action.flags |= SA_SIGINFO;
    if (exchange_action(&action, NULL) < 0) return errno;
  }
  error = ETIMEDOUT;
  for (int round = 0; round < 100; round++) {
    int found = look_at_all(capabilities, is_installed);
    if (found <= 0) {
      error = found < 0 ? EACCES : 0;
      break;
    }
    poll(NULL, 0, round);
  }
  if (is_installed) exchange_action(&before, NULL);
  return error;
}
