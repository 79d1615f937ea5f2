// The attribute benchmarks' work done by BlueZ: its ATT and GATT, client and server in one process, over a pair of sockets.
//
// It is linked with sources of BlueZ's (src/shared) that build.sh takes from Debian's source package; of them this file uses the functions only.
//
// Usage: bluez_attributes NAME: each line of standard input is a round, for which a line of JSON goes out, with `value` (operations in a second of
// processor time) and `requests`. bluez_attributes --count NAME: does the work once with few and once with many operations, for callgrind.

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <valgrind/callgrind.h>

#include "lib/bluetooth.h"
#include "lib/uuid.h"
#include "src/shared/queue.h"
#include "src/shared/att.h"
#include "src/shared/gatt-db.h"
#include "src/shared/gatt-client.h"
#include "src/shared/gatt-server.h"
#include "src/shared/mainloop.h"

// As many values are under way at a time, on both sides of the comparison.
#define WINDOW 32
#define MTU 517

struct pair {
	struct bt_att *client_att, *server_att;
	struct gatt_db *client_db, *server_db;
	struct bt_gatt_client *client;
	struct bt_gatt_server *server;
	uint16_t handle;
};

struct work {
	const char *name;
	// Of a round, and of the greater go under callgrind.
	unsigned int operations, counted;
	unsigned int services, characteristics;
	unsigned int octets;
	// Does what is next; called when the pair is ready, and when the last part is done.
	void (*next)(void);
};

static struct pair pair;
static const struct work *work;
static uint8_t value[512];
// Of the go that is under way.
static unsigned int goal, done, started, in_window;
static unsigned int requests;
static double start;
static bool counts;
static unsigned int go;

static void fail(const char *what)
{
	fprintf(stderr, "bluez_attributes: %s\n", what);
	exit(1);
}

static double processor_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

static void begin(unsigned int operations)
{
	goal = operations;
	done = started = in_window = 0;
	// What is made once is made in the first go, which is not counted.
	if (counts && go > 0)
		CALLGRIND_START_INSTRUMENTATION;
	start = processor_time();
	work->next();
}

static void wait_for_line(void);

static void finished(void)
{
	double seconds = processor_time() - start;

	if (!counts) {
		printf("{\"value\": %f, \"requests\": %u}\n", goal / seconds, work->octets ? 0 : requests / goal);
		fflush(stdout);
		wait_for_line();
		return;
	}
	if (go > 0) {
		CALLGRIND_DUMP_STATS_AT(go == 1 ? "few" : "many");
		CALLGRIND_STOP_INSTRUMENTATION;
	}
	if (++go == 3) {
		printf("{\"few\": %u, \"many\": %u}\n", work->counted / 4, work->counted);
		fflush(stdout);
		mainloop_quit();
		return;
	}
	begin(go == 1 ? work->counted / 4 : work->counted);
}

static void one_done(void)
{
	done++;
	in_window--;
	if (done == goal)
		finished();
	else if (in_window == 0)
		work->next();
}

// The server's side.

static void read_value(struct gatt_db_attribute *attribute, unsigned int id, uint16_t offset, uint8_t opcode,
			struct bt_att *att, void *data)
{
	gatt_db_attribute_read_result(attribute, id, 0, value, work->octets);
}

static void write_value(struct gatt_db_attribute *attribute, unsigned int id, uint16_t offset, const uint8_t *octets,
			size_t length, uint8_t opcode, struct bt_att *att, void *data)
{
	gatt_db_attribute_write_result(attribute, id, 0);
	one_done();
}

static void write_configuration(struct gatt_db_attribute *attribute, unsigned int id, uint16_t offset, const uint8_t *octets,
			size_t length, uint8_t opcode, struct bt_att *att, void *data)
{
	gatt_db_attribute_write_result(attribute, id, 0);
}

static void read_configuration(struct gatt_db_attribute *attribute, unsigned int id, uint16_t offset, uint8_t opcode,
			struct bt_att *att, void *data)
{
	static const uint8_t none[2];

	gatt_db_attribute_read_result(attribute, id, 0, none, sizeof(none));
}

static bt_uuid_t uuid(unsigned int service, unsigned int characteristic)
{
	uint128_t octets = { .data = { 0x7B, 0x0F, service, characteristic, 0, 0, 0x4C, 0x1E, 0x8B, 0x6F, 1, 0x23, 0x45, 0x67, 0x89, 0xAB } };
	bt_uuid_t result;

	bt_uuid128_create(&result, octets);
	return result;
}

static struct gatt_db *make_database(void)
{
	struct gatt_db *db = gatt_db_new();
	const uint8_t properties = BT_GATT_CHRC_PROP_READ | BT_GATT_CHRC_PROP_WRITE_WITHOUT_RESP | BT_GATT_CHRC_PROP_NOTIFY;

	gatt_db_ccc_register(db, read_configuration, write_configuration, NULL, NULL);
	for (unsigned int i = 0; i < work->services; i++) {
		bt_uuid_t type = uuid(i, 0);
		struct gatt_db_attribute *service = gatt_db_add_service(db, &type, true, 1 + 3 * work->characteristics);

		for (unsigned int j = 1; j <= work->characteristics; j++) {
			struct gatt_db_attribute *characteristic;

			type = uuid(i, j);
			characteristic = gatt_db_service_add_characteristic(service, &type,
						BT_ATT_PERM_READ | BT_ATT_PERM_WRITE, properties, read_value, write_value, NULL);
			gatt_db_service_add_ccc(service, BT_ATT_PERM_READ | BT_ATT_PERM_WRITE);
			pair.handle = gatt_db_attribute_get_handle(characteristic);
		}
		gatt_db_service_set_active(service, true);
	}
	return db;
}

// Requests have even opcodes, and are not commands; answers, notifications and confirmations do not come to a server as requests.
static void note(const char *text, void *data)
{
	unsigned int opcode;
	const char *place = strstr(text, "ATT PDU received: 0x");

	if (place && sscanf(place + 18, "0x%x", &opcode) == 1 && !(opcode & 0x41) && opcode != 0x1E)
		requests++;
}

static void make_pair(bt_gatt_client_callback_t ready)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		fail("no pair of sockets");
	pair.server_db = make_database();
	pair.server_att = bt_att_new(ends[0], false);
	pair.client_att = bt_att_new(ends[1], false);
	if (!pair.server_att || !pair.client_att)
		fail("no bearers");
	bt_att_set_close_on_unref(pair.server_att, true);
	bt_att_set_close_on_unref(pair.client_att, true);
	pair.server = bt_gatt_server_new(pair.server_db, pair.server_att, MTU, 0);
	pair.client_db = gatt_db_new();
	pair.client = bt_gatt_client_new(pair.client_db, pair.client_att, MTU, 0);
	if (!pair.server || !pair.client)
		fail("no client or server");
	bt_gatt_client_ready_register(pair.client, ready, NULL, NULL);
}

static void end_pair(void)
{
	bt_gatt_client_unref(pair.client);
	bt_gatt_server_unref(pair.server);
	bt_att_unref(pair.client_att);
	bt_att_unref(pair.server_att);
	gatt_db_unref(pair.client_db);
	gatt_db_unref(pair.server_db);
}

// The client's side: what is done.

static void notify(void)
{
	while (started < goal && in_window < WINDOW) {
		started++;
		in_window++;
		if (!bt_gatt_server_send_notification(pair.server, pair.handle, value, work->octets, false))
			fail("a notification was refused");
	}
}

static void notified(uint16_t handle, const uint8_t *octets, uint16_t length, void *data)
{
	if (length != work->octets)
		fail("a notification was cut");
	one_done();
}

static void write_without_response(void)
{
	while (started < goal && in_window < WINDOW) {
		started++;
		in_window++;
		if (!bt_gatt_client_write_without_response(pair.client, pair.handle, false, value, work->octets))
			fail("a write was refused");
	}
}

static void was_read(bool success, uint8_t error, const uint8_t *octets, uint16_t length, void *data)
{
	if (!success || length != work->octets)
		fail("a read failed");
	one_done();
}

static void read_once(void)
{
	started++;
	in_window++;
	if (!bt_gatt_client_read_value(pair.client, pair.handle, was_read, NULL, NULL))
		fail("a read was refused");
}

static void discover(void);

// A pair cannot be ended inside its own callback.
static void discovered_all(int id, void *data)
{
	mainloop_remove_timeout(id);
	end_pair();
	one_done();
}

static void discovered(bool success, uint8_t error, void *data)
{
	if (!success)
		fail("a discovery failed");
	if (mainloop_add_timeout(1, discovered_all, NULL, NULL) < 0)
		fail("no timer");
}

static void discover(void)
{
	started++;
	in_window++;
	make_pair(discovered);
	if (!counts)
		bt_att_set_debug(pair.server_att, BT_ATT_DEBUG_VERBOSE, note, NULL, NULL);
}

static const struct work all[] = {
	{ "att_notify_512", 20000, 2000, 1, 1, 512, notify },
	// Not 512: the server of 5.66 counts the handle as well, and drops such a write.
	{ "att_write_without_response_510", 20000, 2000, 1, 1, 510, write_without_response },
	{ "att_notify_20", 20000, 2000, 1, 1, 20, notify },
	{ "att_read_20", 10000, 800, 1, 1, 20, read_once },
	{ "att_discover_10x5", 20, 24, 10, 5, 0, discover },
};

// Rounds.

static void line_came(int fd, uint32_t events, void *data)
{
	char line[64];
	ssize_t length = read(fd, line, sizeof(line));

	// It is not looked at in a round: a go is done to its end.
	mainloop_remove_fd(fd);
	if (length <= 0) {
		mainloop_quit();
		return;
	}
	requests = 0;
	begin(work->operations);
}

static void wait_for_line(void)
{
	if (mainloop_add_fd(STDIN_FILENO, EPOLLIN, line_came, NULL, NULL) < 0)
		fail("standard input cannot be waited for: it has to be a pipe");
}

static void are_ready(void)
{
	if (counts)
		begin(work->counted);
	else
		wait_for_line();
}

static void registered(uint16_t error, void *data)
{
	if (error)
		fail("the subscription was refused");
	are_ready();
}

static void is_ready(bool success, uint8_t error, void *data)
{
	if (!success)
		fail("the client is not ready");
	if (work->next != notify)
		return are_ready();
	if (!bt_gatt_client_register_notify(pair.client, pair.handle, registered, notified, NULL, NULL))
		fail("no subscription");
}

int main(int count, char **words)
{
	const char *name = count > 1 ? words[count - 1] : "";

	counts = count == 3 && strcmp(words[1], "--count") == 0;
	for (unsigned int i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(all[i].name, name) == 0)
			work = &all[i];
	if (!work || (count != 2 && !counts))
		fail("usage: bluez_attributes [--count] NAME");
	signal(SIGPIPE, SIG_IGN);
	mainloop_init();
	if (work->octets)
		make_pair(is_ready);
	else
		are_ready();
	return mainloop_run();
}
