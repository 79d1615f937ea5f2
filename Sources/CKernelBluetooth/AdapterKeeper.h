// A process of its own that keeps the one privilege which the HCI user channel needs, so that the program itself can give it up.
//
// It is forked from the program and speaks to it over a pair of sockets (SOCK_SEQPACKET): a request in each packet, an answer to each in the
// same order. It does what the requests say, refuses everything else, and ends with the program, however that ends; then it switches
// those adapters on again that it had switched off.

#pragma once

#include <stdint.h>

enum {
  // Open the user channel of an adapter. The answer carries the socket.
  KERNEL_BLUETOOTH_OPEN = 1,
  // Switch an adapter off (value 0) or on (1). What is switched on counts no longer as switched off by this program, whatever the answer.
  KERNEL_BLUETOOTH_POWER = 2,
  // An adapter that was switched off has gone: one that has its number later is not to be switched on.
  KERNEL_BLUETOOTH_FORGET = 3,
};

struct KernelBluetoothRequest {
  uint8_t what;
  uint8_t value;
  uint16_t index;
};

struct KernelBluetoothAnswer {
  // The request's, as far as it could be read.
  uint8_t what;
  // What the management interface answered, where it was asked; 0 is success.
  uint8_t status;
  uint16_t index;
  // The system's error; 0 for none.
  int32_t error;
};

// Starts it. The program's end of the pair, or the system's error as a negative number. Its name in the list of processes is
// "adapter-keeper".
int kernel_bluetooth_start_keeper(void);

// Takes one answer off the program's end of the pair, without waiting, and the socket that comes with it (-1 where none does).
// 1 for an answer, 0 where there is none now; the system's error as a negative number where none will come any more.
int kernel_bluetooth_take_answer(int keeper, struct KernelBluetoothAnswer *answer, int *opened);
