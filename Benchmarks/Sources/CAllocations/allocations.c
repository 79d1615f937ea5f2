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

static atomic_bool counting;
static atomic_long counted;

static inline void count_one(void) {
  if (atomic_load_explicit(&counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed);
  }
}

void allocations_start(void) {
  atomic_store(&counted, 0);
  atomic_store(&counting, true);
}

long allocations_stop(void) {
  atomic_store(&counting, false);
  return atomic_load(&counted);
}

void allocations_trim(void) { malloc_trim(0); }

void *malloc(size_t size) {
  count_one();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  count_one();
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  count_one();
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count_one();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  count_one();
  void *allocated = __libc_memalign(alignment, size);
  if (!allocated) {
    return ENOMEM;
  }
  *block = allocated;
  return 0;
}
