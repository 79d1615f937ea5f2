#define _GNU_SOURCE
#include "AdapterKeeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "Capabilities.h"
#include "KernelBluetooth.h"

// The program has threads: what follows the fork calls only what may be called in a signal's handler, and nothing of a sanitizer.
#define PLAIN __attribute__((disable_sanitizer_instrumentation))

enum {
  SET_POWERED = 0x0005,
  COMMAND_COMPLETE = 0x0001,
  COMMAND_STATUS = 0x0002,
  STATUS_SUCCESS = 0x00,
  STATUS_NOT_SUPPORTED = 0x0c,
  STATUS_BLOCKED = 0x12,
  STATUS_PERMISSION_DENIED = 0x14,
};

// The adapters that were switched off for the program, by a bit for each index.
static uint8_t switched_off[65536 / 8];

PLAIN static int64_t now_in_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// A socket of the kernel's Bluetooth, or the error as a negative number.
PLAIN static int open_channel(uint16_t index, uint16_t channel) {
  int opened = socket(KERNEL_BLUETOOTH_FAMILY, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, KERNEL_BLUETOOTH_HCI_PROTOCOL);
  if (opened < 0) return -errno;
  struct KernelBluetoothAddress address = {KERNEL_BLUETOOTH_FAMILY, index, channel};
  if (bind(opened, (const struct sockaddr *)&address, sizeof address) == 0) return opened;
  int error = errno;
  close(opened);
  return -error;
}

// For what the program does not read at once, because it waits for a processor or is stopped: without room the kernel drops it, an event or data
// like any other. Of itself it has room for some 270 packets; with this for some 10,000.
PLAIN static void make_room(int opened) {
  const int octets = 4 << 20;
  setsockopt(opened, SOL_SOCKET, SO_RCVBUFFORCE, &octets, sizeof octets);
}

PLAIN static uint16_t number_at(const uint8_t *octets) { return (uint16_t)(octets[0] | octets[1] << 8); }

// Reads until the answer to Set Powered is there (BlueZ, doc/mgmt-api.txt): 0 and its status, or the system's error.
PLAIN static int wait_for_answer(int management, uint16_t index, int64_t until, uint8_t *status) {
  for (;;) {
    uint8_t event[512];
    ssize_t count = read(management, event, sizeof event);
    if (count >= 9 && number_at(event + 2) == index && number_at(event + 6) == SET_POWERED) {
      uint16_t code = number_at(event);
      if (code == COMMAND_COMPLETE || code == COMMAND_STATUS) {
        *status = event[8];
        return 0;
      }
    }
    if (count >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) return errno;
    int64_t left = until - now_in_milliseconds();
    if (left <= 0) return ETIMEDOUT;
    struct pollfd readable = {management, POLLIN, 0};
    poll(&readable, 1, (int)left);
  }
}

// Whether a later attempt may succeed: the kernel may still count the adapter as the program's user channel (Invalid Index, which an event
// ends), be at work on an earlier request (Busy), or have waited in vain for the controller's answer to a command (Authentication Failed, of
// all words).
PLAIN static int is_passing(int error, uint8_t status) {
  if (error) return error == ETIMEDOUT;
  return status != STATUS_SUCCESS && status != STATUS_NOT_SUPPORTED && status != STATUS_BLOCKED && status != STATUS_PERMISSION_DENIED;
}

// Switches an adapter on or off. Until `patience` milliseconds have passed it is tried again where that may help, after the next event.
PLAIN static int set_powered(uint16_t index, uint8_t is_on, int patience, uint8_t *status) {
  int management = open_channel(KERNEL_BLUETOOTH_NO_DEVICE, KERNEL_BLUETOOTH_CONTROL_CHANNEL);
  if (management < 0) return -management;
  int64_t until = now_in_milliseconds() + patience;
  const uint8_t command[] = {SET_POWERED, 0, (uint8_t)index, (uint8_t)(index >> 8), 1, 0, is_on};
  int error;
  for (;;) {
    // Where the kernel refuses a command with an answer, such as Invalid Index, it returns 0 and not the command's length.
    if (write(management, command, sizeof command) < 0) {
      error = errno;
      break;
    }
    error = wait_for_answer(management, index, now_in_milliseconds() + 10000, status);
    int64_t left = until - now_in_milliseconds();
    if (left <= 0 || !is_passing(error, *status)) break;
    struct pollfd readable = {management, POLLIN, 0};
    poll(&readable, 1, left < 200 ? (int)left : 200);
  }
  close(management);
  return error;
}

PLAIN static void switch_power(const struct KernelBluetoothRequest *request, struct KernelBluetoothAnswer *answer) {
  uint8_t *bits = &switched_off[request->index / 8];
  uint8_t bit = (uint8_t)(1 << request->index % 8);
  if (request->value > 1 || request->index == KERNEL_BLUETOOTH_NO_DEVICE) {
    answer->error = EINVAL;
    return;
  }
  answer->error = set_powered(request->index, request->value, request->value ? 1000 : 0, &answer->status);
  if (request->value) {
    *bits &= (uint8_t)~bit;
  } else if (answer->error == 0 && answer->status == 0) {
    *bits |= bit;
  }
}

PLAIN static void send_answer(int program, struct KernelBluetoothAnswer answer, int opened) {
  struct iovec part = {&answer, sizeof answer};
  union {
    struct cmsghdr header;
    uint8_t octets[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message;
  memset(&message, 0, sizeof message);
  memset(&control, 0, sizeof control);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (opened >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), &opened, sizeof opened);
  }
  while (sendmsg(program, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

PLAIN static void answer_request(int program, const struct KernelBluetoothRequest *request, size_t count) {
  struct KernelBluetoothAnswer answer;
  int opened = -1;
  memset(&answer, 0, sizeof answer);
  if (count != sizeof *request) {
    answer.error = EINVAL;
  } else {
    answer.what = request->what;
    answer.index = request->index;
    if (request->what == KERNEL_BLUETOOTH_OPEN && request->value == 0) {
      opened = open_channel(request->index, KERNEL_BLUETOOTH_USER_CHANNEL);
      if (opened < 0) {
        answer.error = -opened;
      } else {
        make_room(opened);
      }
    } else if (request->what == KERNEL_BLUETOOTH_POWER) {
      switch_power(request, &answer);
    } else if (request->what == KERNEL_BLUETOOTH_FORGET && request->value == 0) {
      switched_off[request->index / 8] &= (uint8_t)~(1 << request->index % 8);
    } else {
      answer.error = EINVAL;
    }
  }
  send_answer(program, answer, opened);
  if (opened >= 0) close(opened);
}

PLAIN static void serve(int program) {
  for (;;) {
    struct KernelBluetoothRequest request;
    // What is longer is cut, and its real length returned. Files that come with it are not taken.
    ssize_t count = recv(program, &request, sizeof request, MSG_TRUNC);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    if (count == 0) {
      // The end, or a packet of nothing.
      struct pollfd end = {program, POLLRDHUP, 0};
      if (poll(&end, 1, 0) != 0) return;
    }
    answer_request(program, &request, (size_t)count);
  }
}

PLAIN static void close_others(int kept) {
  if ((kept == 0 || syscall(SYS_close_range, 0, kept - 1, 0) == 0) && syscall(SYS_close_range, kept + 1, ~0u, 0) == 0) return;
  // A kernel before 5.9.
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) _exit(1);
  for (rlim_t number = 0; number < limit.rlim_cur; number++) {
    if (number != (rlim_t)kept) close((int)number);
  }
}

// The keeper's whole life. All signals stay blocked, so that what ends the program does not end this before its work.
PLAIN static void keep(int program) {
  close_others(program);
  if (chdir("/") < 0) _exit(1);
  prctl(PR_SET_NAME, "adapter-keeper");
  // No other process may trace it, and it gains no further privileges.
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (kernel_capabilities_keep_here((uint64_t)1 << KERNEL_CAPABILITY_NET_ADMIN) != 0) _exit(1);
  serve(program);
  for (unsigned index = 0; index < KERNEL_BLUETOOTH_NO_DEVICE; index++) {
    uint8_t status;
    if (switched_off[index / 8] >> index % 8 & 1) set_powered((uint16_t)index, 1, 30000, &status);
  }
}

int kernel_bluetooth_start_keeper(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
  // The program's handlers must not run in a process that is forked from one with threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0) {
    // The child of a child that has ended belongs to the system's first process: it is no zombie of the program's.
    setsid();
    pid_t keeper = fork();
    if (keeper != 0) _exit(keeper < 0);
    keep(ends[1]);
    _exit(0);
  }
  int error = errno, status = 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
  if (child > 0) {
    pid_t ended;
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    error = EAGAIN;
    // Where the program does not wait for its children there is no status; then the first request shows it.
    if (ended < 0) status = 0;
  }
  if (child > 0 && status == 0) return ends[0];
  close(ends[0]);
  return -error;
}

int kernel_bluetooth_take_answer(int keeper, struct KernelBluetoothAnswer *answer, int *opened) {
  struct iovec part = {answer, sizeof *answer};
  union {
    struct cmsghdr header;
    uint8_t octets[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message;
  memset(&message, 0, sizeof message);
  memset(&control, 0, sizeof control);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  *opened = -1;
  ssize_t count;
  do count = recvmsg(keeper, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  if (count < 0) return errno == EAGAIN ? 0 : -errno;
  if (count != (ssize_t)sizeof *answer) return -EPIPE;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof(int))) {
    memcpy(opened, CMSG_DATA(header), sizeof *opened);
  }
  return 1;
}
