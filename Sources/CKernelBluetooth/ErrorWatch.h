// Errors of a socket that has nothing to read.

#pragma once

// A descriptor that can be read when `socket` can be, and also when that has nothing but an error; -1 where the system has none left.
int kernel_bluetooth_watch_errors(int socket);
