// Counts allocations by standing in for the C library's functions: what an executable defines comes before what its
// libraries define, for all of them. The work is done by the functions that glibc keeps under names of its own.

#include "allocations.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static atomic_bool counting;
static atomic_long blocks;
static atomic_long octets;

static inline bool is_counting(void) { return atomic_load_explicit(&counting, memory_order_relaxed); }

static inline void add_octets(void *block, int sign) {
  atomic_fetch_add_explicit(&octets, sign * (long)malloc_usable_size(block), memory_order_relaxed);
}

static inline void *counted(void *block) {
  if (is_counting()) {
    atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
    add_octets(block, 1);
  }
  return block;
}

void allocations_start(void) {
  atomic_store(&blocks, 0);
  atomic_store(&octets, 0);
  atomic_store(&counting, true);
}

struct allocations allocations_stop(void) {
  atomic_store(&counting, false);
  return (struct allocations){.blocks = atomic_load(&blocks), .octets = atomic_load(&octets)};
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }

void *realloc(void *block, size_t size) {
  if (!is_counting()) {
    return __libc_realloc(block, size);
  }
  // Read before: afterwards the block may be another thread's.
  long before = (long)malloc_usable_size(block);
  void *moved = __libc_realloc(block, size);
  if (moved || size == 0) {
    atomic_fetch_sub_explicit(&octets, before, memory_order_relaxed);
  }
  return counted(moved);
}

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  void *allocated = counted(__libc_memalign(alignment, size));
  if (!allocated) {
    return ENOMEM;
  }
  *block = allocated;
  return 0;
}

void free(void *block) {
  if (is_counting()) {
    add_octets(block, -1);
  }
  __libc_free(block);
}
