// What the C library says of its allocator: Glibc's module leaves it out.
#include <malloc.h>

/// Octets in blocks that were asked for and not freed. In Swift the function's name would mean the structure of the same name.
static inline size_t live_octets(void) {
  struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}
