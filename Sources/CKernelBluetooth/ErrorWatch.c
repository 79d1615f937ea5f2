#include "ErrorWatch.h"

#include <sys/epoll.h>
#include <unistd.h>

int kernel_bluetooth_watch_errors(int socket) {
  int watch = epoll_create1(EPOLL_CLOEXEC);
  if (watch < 0) return -1;
  // Errors are always told of.
  struct epoll_event event = {.events = EPOLLIN};
  if (epoll_ctl(watch, EPOLL_CTL_ADD, socket, &event) == 0) return watch;
  close(watch);
  return -1;
}
