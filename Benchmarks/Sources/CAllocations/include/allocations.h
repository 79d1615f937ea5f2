#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

/// Starts counting from nought. While nothing is counted an allocation costs one branch more.
void allocations_start(void);

/// Stops counting; answers how many blocks were asked for since the start, in all threads.
long allocations_stop(void);

/// Gives back to the system what was freed.
void allocations_trim(void);

#endif
