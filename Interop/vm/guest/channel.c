/* channel listen PSM, channel connect ADDRESS public|random PSM: an L2CAP channel of the kernel's as a pipe.
 *
 * What comes from the standard input goes into the channel, what comes from the channel goes to the standard output, until the channel ends. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* As in the kernel's include/net/bluetooth/bluetooth.h and l2cap.h. */
enum { PROTOCOL_L2CAP = 0, LEVEL_BLUETOOTH = 274, OPTION_SEND_MTU = 12, OPTION_RECEIVE_MTU = 13, PUBLIC = 1, RANDOM = 2 };
struct address {
  sa_family_t family;
  uint16_t psm;
  uint8_t octets[6];
  uint16_t identifier;
  uint8_t type;
};

static int fail(const char *what) {
  fprintf(stderr, "channel: %s: %s\n", what, strerror(errno));
  return 1;
}

static int carry(int channel) {
  static uint8_t outgoing[65535], incoming[65535];
  uint16_t mtu = 0;
  socklen_t size = sizeof mtu;
  if (getsockopt(channel, LEVEL_BLUETOOTH, OPTION_SEND_MTU, &mtu, &size) < 0) return fail("send MTU");
  fprintf(stderr, "channel: open, at most %d octets at once\n", mtu);
  fcntl(channel, F_SETFL, O_NONBLOCK);
  ssize_t waiting = 0;
  int input_has_ended = 0;
  for (;;) {
    if (waiting == 0 && !input_has_ended) {
      waiting = read(STDIN_FILENO, outgoing, mtu);
      if (waiting < 0) return fail("standard input");
      input_has_ended = waiting == 0;
    }
    struct pollfd ends = {channel, (short)(POLLIN | (waiting > 0 ? POLLOUT : 0)), 0};
    if (poll(&ends, 1, -1) < 0) return fail("poll");
    if (ends.revents & (POLLIN | POLLHUP | POLLERR)) {
      ssize_t got = read(channel, incoming, sizeof incoming);
      if (got == 0) return 0;
      if (got < 0 && errno != EAGAIN) return errno == ECONNRESET ? 0 : fail("channel");
      for (ssize_t written = 0; written < got;) {
        ssize_t count = write(STDOUT_FILENO, incoming + written, (size_t)(got - written));
        if (count < 0) return fail("standard output");
        written += count;
      }
    }
    if (ends.revents & POLLOUT) {
      /* One write is one SDU: all of it is taken, or nothing. */
      ssize_t sent = write(channel, outgoing, (size_t)waiting);
      if (sent < 0 && errno != EAGAIN) return fail("channel");
      if (sent > 0) waiting = 0;
    }
  }
}

int main(int count, char **words) {
  int listens = count == 3 && strcmp(words[1], "listen") == 0;
  if (!listens && !(count == 5 && strcmp(words[1], "connect") == 0)) {
    fprintf(stderr, "usage: channel listen PSM | channel connect ADDRESS public|random PSM\n");
    return 64;
  }
  int channel = socket(AF_BLUETOOTH, SOCK_SEQPACKET, PROTOCOL_L2CAP);
  if (channel < 0) return fail("socket");
  /* The type says that it is a channel of LE. */
  struct address own = {AF_BLUETOOTH, (uint16_t)(listens ? atoi(words[2]) : 0), {0}, 0, PUBLIC};
  if (bind(channel, (struct sockaddr *)&own, sizeof own) < 0) return fail("bind");
  uint16_t mtu = 2048;
  if (setsockopt(channel, LEVEL_BLUETOOTH, OPTION_RECEIVE_MTU, &mtu, sizeof mtu) < 0) return fail("receive MTU");
  if (listens) {
    if (listen(channel, 1) < 0) return fail("listen");
    fprintf(stderr, "channel: listening\n");
    int accepted = accept(channel, NULL, NULL);
    return accepted < 0 ? fail("accept") : carry(accepted);
  }
  struct address peer = {AF_BLUETOOTH, (uint16_t)atoi(words[4]), {0}, 0, strcmp(words[3], "random") == 0 ? RANDOM : PUBLIC};
  uint8_t *octets = peer.octets;
  if (sscanf(words[2], "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", octets + 5, octets + 4, octets + 3, octets + 2, octets + 1, octets) != 6) {
    fprintf(stderr, "channel: %s is not an address\n", words[2]);
    return 64;
  }
  if (connect(channel, (struct sockaddr *)&peer, sizeof peer) < 0) return fail("connect");
  return carry(channel);
}
