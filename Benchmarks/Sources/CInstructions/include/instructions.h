#ifndef INSTRUCTIONS_H
#define INSTRUCTIONS_H

#include <stdbool.h>

/// Whether this process runs under valgrind, and was built where valgrind's headers are.
bool instructions_can_be_counted(void);

/// From here on instructions are counted, in all threads.
void instructions_start(void);

/// Writes what was counted into the next of callgrind's files, with `label` in it, and counts from nought again.
void instructions_dump(const char *label);


/// From here on nothing is counted, and the process is several times as fast.
void instructions_stop(void);

#endif
