#include "DroppedPackets.h"

#include <linux/sock_diag.h>
#include <sys/socket.h>

uint32_t kernel_bluetooth_dropped_packets(int socket) {
  uint32_t memory[SK_MEMINFO_VARS] = {0};
  socklen_t size = sizeof memory;
  if (getsockopt(socket, SOL_SOCKET, SO_MEMINFO, memory, &size) != 0) return 0;
  return size > SK_MEMINFO_DROPS * sizeof *memory ? memory[SK_MEMINFO_DROPS] : 0;
}
