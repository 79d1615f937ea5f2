#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library: runs `target` on input after input, steered by the arguments, and ends the process.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*target)(const uint8_t *octets, size_t count));
