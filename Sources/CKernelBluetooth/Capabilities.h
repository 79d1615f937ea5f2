// Linux' capabilities of this process (capabilities(7)), each by its bit: 1 << CAP_NET_ADMIN.

#pragma once

#include <stdint.h>

enum {
  KERNEL_CAPABILITY_NET_ADMIN = 12,
  KERNEL_CAPABILITY_NET_RAW = 13,
};

// Those that the calling thread is permitted.
uint64_t kernel_capabilities_permitted(void);

// Takes capabilities out of all sets of the calling thread: effective, permitted, inheritable and, with them, ambient. 0, or the system's
// error.
int kernel_capabilities_give_up_here(uint64_t capabilities);

// Leaves the calling thread these capabilities, effective where it is permitted them, and no others. 0, or the system's error.
int kernel_capabilities_keep_here(uint64_t capabilities);

// Takes capabilities out of all sets of every thread of the process. The kernel knows capabilities of threads only, so each thread does it itself, in a handler of
// the signal that the C library uses for setuid, which no thread can block. Returns when /proc shows that no thread has them any more:
// 0; else the system's error, ETIMEDOUT where a thread did not answer within about five seconds. Not from two threads at once.
int kernel_capabilities_give_up(uint64_t capabilities);
