#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

/// What was asked of the C library's allocator between a start and a stop, by all threads.
struct allocations {
  /// Blocks that were asked for.
  long blocks;
  /// By how many octets the blocks in use have grown, each with what the allocator rounds it up to; less than nought if they have shrunk.
  long octets;
};

/// Starts counting from nought. While nothing is counted an allocation costs one branch more.
void allocations_start(void);

/// Stops counting.
struct allocations allocations_stop(void);

#endif
