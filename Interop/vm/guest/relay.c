/* relay STREAM [unconfigured]: gives the kernel a Bluetooth controller that is at the other end of STREAM, a character device.
 * "unconfigured": one of which the kernel thinks that it has no address, as controllers without a memory have none.
 *
 * The kernel's virtual controller (/dev/vhci) takes and gives exactly one HCI packet in each write and read. The stream carries the same
 * packets one behind another, each with its indicator (H4: Core, Vol 4 Part A 2), cut anywhere.
 *
 * SIGTERM pulls the controller out: it is reset, because one without current is silent from that moment, and the adapter goes.
 * SIGUSR1 makes it miss the next reset that the kernel sends, as one does that is slow to start. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { COMMAND = 1, ACL_DATA, SYNCHRONOUS_DATA, EVENT, ISOCHRONOUS_DATA, VENDOR = 0xff };

/* How long the packet at the beginning of `octets` is, with its indicator; 0 while its header is not there, -1 where none begins. */
static int packet_length(const uint8_t *octets, size_t count) {
  static const int header[] = {[COMMAND] = 4, [ACL_DATA] = 5, [SYNCHRONOUS_DATA] = 4, [EVENT] = 3, [ISOCHRONOUS_DATA] = 5};
  if (count == 0) return 0;
  if (octets[0] < COMMAND || octets[0] > ISOCHRONOUS_DATA) return -1;
  int length = header[octets[0]];
  if (count < (size_t)length) return 0;
  switch (octets[0]) {
  case EVENT: return length + octets[2];
  case ACL_DATA: return length + (octets[3] | octets[4] << 8);
  case ISOCHRONOUS_DATA: return length + ((octets[3] | octets[4] << 8) & 0x3fff);
  default: return length + octets[3];
  }
}

static int write_all(int file, const uint8_t *octets, size_t count) {
  while (count > 0) {
    ssize_t written = write(file, octets, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      struct pollfd room = {file, POLLOUT, 0};
      poll(&room, 1, -1);
      continue;
    }
    if (written < 0) return -1;
    octets += written;
    count -= (size_t)written;
  }
  return 0;
}

int main(int count, char **arguments) {
  static uint8_t incoming[1 << 17], outgoing[1 << 16];
  size_t waiting = 0;
  int unconfigured = count == 3 && strcmp(arguments[2], "unconfigured") == 0;
  if (count != 2 && !unconfigured) {
    fprintf(stderr, "usage: relay STREAM [unconfigured]\n");
    return 64;
  }
  static const uint8_t reset[] = {COMMAND, 0x03, 0x0c, 0};
  int misses_reset = 0;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGUSR1);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  int hand = signalfd(-1, &signals, 0);
  int stream = open(arguments[1], O_RDWR | O_NOCTTY);
  int kernel = open("/dev/vhci", O_RDWR);
  if (stream < 0 || kernel < 0) {
    fprintf(stderr, "relay: %s: %s\n", stream < 0 ? arguments[1] : "/dev/vhci", strerror(errno));
    return 1;
  }
  /* What an earlier relay has left may begin within a packet; the kernel begins with a reset. */
  for (struct pollfd left = {stream, POLLIN, 0}; poll(&left, 1, 100) > 0 && (left.revents & POLLIN);) {
    if (read(stream, incoming, sizeof incoming) <= 0) break;
  }
  /* A primary controller; with this bit it has to be configured by somebody. */
  const uint8_t create[] = {VENDOR, unconfigured ? 0x40 : 0};
  if (write_all(kernel, create, sizeof create) < 0) return 1;
  for (;;) {
    struct pollfd ends[] = {{stream, POLLIN, 0}, {kernel, POLLIN, 0}, {hand, POLLIN, 0}};
    if (poll(ends, 3, -1) < 0 && errno != EINTR) return 1;
    if (ends[2].revents & POLLIN) {
      struct signalfd_siginfo caught;
      if (read(hand, &caught, sizeof caught) != sizeof caught) return 1;
      if (caught.ssi_signo == SIGTERM) return write_all(stream, reset, sizeof reset) < 0;
      misses_reset = 1;
    }
    if (ends[0].revents & POLLIN) {
      ssize_t got = read(stream, incoming + waiting, sizeof incoming - waiting);
      if (got < 0 && errno != EINTR && errno != EAGAIN) return 1;
      if (got > 0) waiting += (size_t)got;
      for (int length; (length = packet_length(incoming, waiting)) != 0 && (size_t)length <= waiting;) {
        if (length < 0) {
          fprintf(stderr, "relay: %02x begins no packet\n", incoming[0]);
          return 1;
        }
        if (write(kernel, incoming, (size_t)length) != length) fprintf(stderr, "relay: vhci: %s\n", strerror(errno));
        memmove(incoming, incoming + length, waiting -= (size_t)length);
      }
    } else if (ends[0].revents & (POLLHUP | POLLERR)) {
      /* Outside, the controller has gone: so has this adapter. */
      return 0;
    }
    if (ends[1].revents & POLLIN) {
      ssize_t got = read(kernel, outgoing, sizeof outgoing);
      if (got < 0 && errno != EINTR && errno != EAGAIN) return 1;
      if (misses_reset && got == sizeof reset && memcmp(outgoing, reset, sizeof reset) == 0) {
        misses_reset = 0;
        continue;
      }
      /* The first is the kernel's answer to the creation. */
      if (got > 0 && outgoing[0] != VENDOR && write_all(stream, outgoing, (size_t)got) < 0) return 1;
    }
  }
}
