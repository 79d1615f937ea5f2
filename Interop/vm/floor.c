// A program on sd-bus that does nothing but what the benchmark measures: receives a signal or asks, takes the one value out of the message
// and writes a line.
//
//     floor scan COUNT | subscribe COUNT PATH | read COUNT PATH

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

static const char *SERVICE = "org.bluez", *CHARACTERISTIC = "org.bluez.GattCharacteristic1", *ADAPTER = "org.bluez.Adapter1",
                  *ADAPTER_PATH = "/org/bluez/hci0";
static long left;

static void check(int result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s\n", what, strerror(-result));
  exit(1);
}

static void put(const char *line, size_t length) {
  if (write(STDOUT_FILENO, line, length) != (ssize_t)length || --left == 0) exit(0);
}

static void put_octets(const uint8_t *octets, size_t count) {
  static const char digits[] = "0123456789abcdef";
  char line[1025];
  size_t length = 0;
  for (size_t i = 0; i < count && i < 512; i++) {
    line[length++] = digits[octets[i] >> 4];
    line[length++] = digits[octets[i] & 15];
  }
  line[length++] = '\n';
  put(line, length);
}

// The one property that counts is read, the others are passed over.
static int changed(sd_bus_message *message, void *context, sd_bus_error *error) {
  (void)context, (void)error;
  const char *name;
  check(sd_bus_message_skip(message, "s"), "the interface");
  check(sd_bus_message_enter_container(message, 'a', "{sv}"), "the properties");
  while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
    check(sd_bus_message_read_basic(message, 's', &name), "a name");
    if (strcmp(name, "RSSI") == 0) {
      int16_t strength;
      char line[300];
      check(sd_bus_message_read(message, "v", "n", &strength), "RSSI");
      put(line, (size_t)snprintf(line, sizeof line, "%.200s %d\n", sd_bus_message_get_path(message), strength));
    } else if (strcmp(name, "Value") == 0) {
      const void *octets;
      size_t count;
      check(sd_bus_message_enter_container(message, 'v', "ay"), "Value");
      check(sd_bus_message_read_array(message, 'y', &octets, &count), "Value");
      put_octets(octets, count);
      check(sd_bus_message_exit_container(message), "Value");
    } else {
      check(sd_bus_message_skip(message, "v"), name);
    }
    check(sd_bus_message_exit_container(message), "a property");
  }
  return 0;
}

static void listen_to(sd_bus *bus, const char *path) {
  char rule[400];
  snprintf(rule, sizeof rule,
           "type='signal',sender='%s',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',path_namespace='%.200s'",
           SERVICE, path);
  check(sd_bus_add_match(bus, NULL, rule, changed, NULL), "listening");
}

static void read_value(sd_bus *bus, const char *path) {
  sd_bus_message *answer;
  const void *octets;
  size_t count;
  check(sd_bus_call_method(bus, SERVICE, path, CHARACTERISTIC, "ReadValue", NULL, &answer, "a{sv}", 0), "ReadValue");
  check(sd_bus_message_read_array(answer, 'y', &octets, &count), "the value");
  put_octets(octets, count);
  sd_bus_message_unref(answer);
}

int main(int count, char **words) {
  sd_bus *bus;
  if (count < 3 || (left = atol(words[2])) <= 0) return 64;
  check(sd_bus_open_system(&bus), "the bus");
  if (strcmp(words[1], "scan") == 0) {
    listen_to(bus, ADAPTER_PATH);
    check(sd_bus_call_method(bus, SERVICE, ADAPTER_PATH, ADAPTER, "SetDiscoveryFilter", NULL, NULL, "a{sv}", 2, "Transport", "s", "le",
                             "DuplicateData", "b", 1), "SetDiscoveryFilter");
    check(sd_bus_call_method(bus, SERVICE, ADAPTER_PATH, ADAPTER, "StartDiscovery", NULL, NULL, ""), "StartDiscovery");
  } else if (strcmp(words[1], "subscribe") == 0 && count == 4) {
    listen_to(bus, words[3]);
    check(sd_bus_call_method(bus, SERVICE, words[3], CHARACTERISTIC, "StartNotify", NULL, NULL, ""), "StartNotify");
  } else if (strcmp(words[1], "read") == 0 && count == 4) {
    while (1) read_value(bus, words[3]);
  } else {
    return 64;
  }
  while (1) {
    int result = sd_bus_process(bus, NULL);
    check(result, "the bus");
    if (result == 0) check(sd_bus_wait(bus, UINT64_MAX), "waiting");
  }
}
