// What the C library says of its allocator: Glibc's module leaves it out.
#include <malloc.h>
