// Says to callgrind, the tool of valgrind's that counts instructions, from where to where it is to count. A process that does not run under
// valgrind sees a few instructions without effect.

#include "instructions.h"

#if __has_include(<valgrind/callgrind.h>)

#include <valgrind/callgrind.h>

bool instructions_can_be_counted(void) { return RUNNING_ON_VALGRIND > 0; }

void instructions_start(void) { CALLGRIND_START_INSTRUMENTATION; }

void instructions_dump(const char *label) { CALLGRIND_DUMP_STATS_AT(label); }

void instructions_stop(void) { CALLGRIND_STOP_INSTRUMENTATION; }

#else

bool instructions_can_be_counted(void) { return false; }

void instructions_start(void) {}

void instructions_dump(const char *label) { (void)label; }

void instructions_stop(void) {}

#endif
