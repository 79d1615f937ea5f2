// What a socket has not been able to keep.

#pragma once

#include <stdint.h>

// How many packets the kernel has dropped since the socket was made, because there was no room for them; 0 where the kernel does not say.
uint32_t kernel_bluetooth_dropped_packets(int socket);
