/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* One user cannot use up what all share. */
#include "sessiond/quota/quota.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "sessiond/storage/saved-state.h"
#include "tests/utils/tap.h"

static const struct quota_limits limits = {
	.processes = 2, .descriptors = 10, .memory = 1000, .connections = 100, .messages = 1000
};
static const struct saved_disk endless = { INT64_MAX, INT64_MAX };
static struct quota *quota;
static struct quota_user *stranger, *other, *root, *self;

static void test_defaults(void)
{
	struct quota_limits found;

	quota_limits_default(1024, 4096, 2, &found);
	is(found.descriptors, 512, "half of the descriptors are a user's");
	is(found.processes, 128, "as many processes as those are enough for");
	is(found.memory, 2048, "half of the memory");
	is(found.connections, 8000, "connections by CPUs");
	is(found.messages, 4 * found.connections, "some messages each");
	quota_limits_default(UINT64_MAX, UINT64_MAX, 1, &found);
	is(found.processes, 16384, "half of the records there are, where descriptors are endless");
}

static void test_parse(void)
{
	static const char *const bad[] = { "",
					   "processes",
					   "processes=",
					   "processes=0",
					   "processes=-1",
					   "processes=1x",
					   "files=1",
					   "memory=1,",
					   "memory=1,,messages=1",
					   "memory= 1",
					   "messages=99999999999999999999" };
	struct quota_limits found = { .memory = 7 };
	const char *wrong;

	is(quota_limits_parse("processes=3,messages=50", &found, &wrong), 0, "limits as text");
	ok(found.processes == 3 && found.messages == 50 && found.memory == 7,
	   "those that are named are set");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is(quota_limits_parse(bad[i], &found, &wrong), -EINVAL, bad[i]);
	quota_limits_parse("memory=1,cpu=2", &found, &wrong);
	is_string(wrong, "cpu=2", "and which is wrong is said");
}

static void test_held(void)
{
	is(quota_take_process(stranger, false), 0, "one process");
	is(quota_check_held(stranger), 0, "there is room");
	is(quota_take_process(stranger, false), 0, "two");
	is(quota_check_held(stranger), -EDQUOT, "there is none");
	is(quota_take_process(stranger, false), -EDQUOT, "not three");
	is(quota_take_process(other, false), 0, "another user's are his own");
	quota_drop(stranger, 1, 0);
	is(quota_take_process(stranger, false), 0, "one went, one comes");
	is(quota_take_process(stranger, true), 0, "what was had before is not refused");
	is(stranger->processes, 3, "but counted");

	is(quota_take_descriptors(other, 9, false), 0, "descriptors");
	is(quota_take_descriptors(other, 2, false), -EDQUOT, "no more than there may be");
	is(other->descriptors, 9, "and none was taken");
	is(quota_take_descriptors(other, 1, false), 0, "the last");
	is(quota_check_held(other), -EDQUOT, "then there is no room");
	quota_drop(other, 0, 10);
	is(quota_check_held(other), 0, "until they are given back");
}

/* As many users as want, one after another, each as much as it gets: what the last gets. */
static uint32_t last_of(uint32_t first, uint32_t users, struct registry_room *left)
{
	struct registry_room room = { .ids = 0 };

	*left = (struct registry_room){ REGISTRY_CLASSES_MAX, REGISTRY_BYTES_MAX };
	for (uint32_t i = 0; i < users; i++) {
		struct quota_user *user = quota_user(quota, first + i);

		room = quota_class_room(user, left, &endless);
		quota_add_classes(user, &room);
		left->ids -= room.ids;
		left->bytes -= room.bytes;
	}
	return room.ids;
}

static void test_share_of_descriptors(void)
{
	struct quota_limits limits = { .descriptors = 50, .all_descriptors = 100 };
	struct quota *shared;
	struct quota_user *one, *two, *three;

	if (quota_create(&limits, &shared) != 0)
		bail_out("no memory");
	one = quota_user(shared, 1);
	two = quota_user(shared, 2);
	three = quota_user(shared, 3);
	is(quota_take_descriptors(one, 50, false), 0, "one user may have half of the descriptors");
	is(quota_take_descriptors(two, 35, false), -EDQUOT, "the next one leaves some to others");
	is(quota_take_descriptors(two, 34, false), 0, "and has the rest");
	is(quota_take_descriptors(three, 4, false), 0, "a third one has a share, too");
	is(quota_take_descriptors(three, 8, false), -EDQUOT, "but not root's eighth");
	is(quota_take_descriptors(quota_user(shared, 0), 12, false), 0, "which root has");
	quota_drop(one, 0, 50);
	is(quota_take_descriptors(three, 40, false), 0, "what one gave back others may have");
	quota_destroy(shared);
}

/* Takes processes for the user, until there are so many or one is refused: how many. */
static uint32_t take_processes(struct quota_user *user, uint32_t most)
{
	uint32_t taken = 0;

	while (taken < most && quota_take_process(user, false) == 0)
		taken++;
	return taken;
}

static void test_share_of_records(void)
{
	struct quota_limits limits = { .processes = SAVED_PROCESSES / 2, .descriptors = 1 };
	struct quota *shared;
	struct quota_user *one, *two, *three;
	uint32_t sum;

	if (quota_create(&limits, &shared) != 0)
		bail_out("no memory");
	one = quota_user(shared, 1);
	two = quota_user(shared, 2);
	three = quota_user(shared, 3);
	sum = take_processes(one, SAVED_PROCESSES);
	is(sum, SAVED_PROCESSES / 2, "one user may have half of the processes' records");
	sum += take_processes(two, SAVED_PROCESSES);
	ok(sum < SAVED_PROCESSES - SAVED_PROCESSES / 8, "the next one leaves some to others");
	is(quota_check_held(two), -EDQUOT, "and has no room then");
	ok(take_processes(three, SAVED_PROCESSES) > 1000, "a third one has a share, too");
	sum += three->processes;
	ok(take_processes(quota_user(shared, 0), SAVED_PROCESSES - sum) >= SAVED_PROCESSES / 8,
	   "root has its eighth");
	quota_drop(one, SAVED_PROCESSES / 2, 0);
	ok(take_processes(two, 100) == 100, "what one gave back others may have");
	quota_destroy(shared);
}

static void test_classes(void)
{
	struct registry_room left = { REGISTRY_CLASSES_MAX, REGISTRY_BYTES_MAX }, room;
	struct quota_user *root = quota_user(quota, 0);

	room = quota_class_room(stranger, &left, &endless);
	ok(room.ids > 7000 && room.ids < REGISTRY_CLASSES_MAX / 8,
	   "a user gets less than an eighth");
	quota_add_classes(stranger, &(struct registry_room){ room.ids, 0 });
	left.ids -= room.ids;
	is(quota_class_room(stranger, &left, &endless).ids, 0, "and nothing more");
	ok(quota_class_room(other, &left, &endless).ids > 6000,
	   "the next one has seven eighths of that");
	ok(last_of(70000, 4, &left) > 4000, "four users do not take all ids");
	ok(last_of(70004, 8, &left) > 1000, "nor do twelve");
	ok(left.bytes > REGISTRY_BYTES_MAX / 8, "nor do they take all memory");
	last_of(71000, 100, &left);
	is(quota_class_room(root, &left, &endless).ids, left.ids, "root takes what there is");
	ok(left.ids >= REGISTRY_CLASSES_MAX / 8,
	   "an eighth of the ids that nobody else could take");
	ok(left.bytes >= REGISTRY_BYTES_MAX / 8, "and of the memory");
}

/* One after another takes all that it may: what the last one of so many may take. */
static uint64_t last_of_disk(struct quota *shared, uint32_t users, struct saved_disk *disk)
{
	const struct registry_room left = { REGISTRY_CLASSES_MAX, REGISTRY_BYTES_MAX };
	uint64_t room = 0;

	for (uint32_t uid = 1; uid <= users; uid++) {
		struct quota_user *user = quota_user(shared, uid);

		room = quota_class_room(user, &left, disk).bytes;
		is(quota_take_disk(user, room + 1, disk, false), -EDQUOT,
		   "no more than the user's share");
		is(quota_take_disk(user, room, disk, false), 0, "but that");
		disk->left -= room;
	}
	return room;
}

static void test_disk(void)
{
	const uint64_t size = 24 << 20;
	struct saved_disk disk = { size, size };
	struct registry_room room = { .bytes = 1 << 20 };
	struct quota_user *one;
	struct quota *shared;

	if (quota_create(&limits, &shared) != 0)
		bail_out("no memory");
	one = quota_user(shared, 1);
	is(last_of_disk(shared, 1, &disk), size / 8 * 7 / 4,
	   "one user's part of a small file system: a quarter of what is not root's");
	ok(last_of_disk(shared, 8, &disk) > 64 << 10, "of eight that want all, the last has some");
	ok(disk.left >= size / 8, "and root's eighth is there");
	is(quota_take_disk(quota_user(shared, 0), disk.left, &disk, false), 0, "which root takes");
	is(quota_take_disk(one, 4096, &disk, true), 0, "what was had before is not refused");
	disk.left = size / 2;
	quota_drop_disk(one, one->disk);
	is(quota_take_disk(one, size / 16, &disk, false), 0, "what was given back can be had");
	quota_drop_disk(one, one->disk);
	quota_add_classes(one, &room);
	is(quota_take_disk(one, size / 8 * 3 / 4, &disk, false), -EDQUOT,
	   "classes are charged with the records");
	quota_destroy(shared);
}

static void test_give_back(void)
{
	struct registry_room left, room;
	struct quota_user *user = quota_user(quota, 80000);
	static uint64_t ids[LTTNGMAP_EVENT_IDS / 64];
	const uint16_t had[] = { 3, 64, 65 };

	is(last_of(72000, 20, &left), 567,
	   "of twenty users that take all they can, the last has some");
	left = (struct registry_room){ REGISTRY_CLASSES_MAX, REGISTRY_BYTES_MAX };
	room = quota_class_room(user, &left, &endless);
	quota_add_classes(user, &room);
	is(quota_class_room(user, &(struct registry_room){ left.ids - room.ids, left.bytes },
			    &endless)
		   .ids,
	   0, "a user that has its share gets nothing");
	quota_note_classes(user, had, 3);
	quota_drop_classes(user, &(struct registry_room){ 100, 4096 });
	is(user->classes.ids, room.ids - 100, "what is given back is not its any more");
	is(user->classes.bytes, room.bytes - 4096, "nor are the bytes");
	is(quota_class_room(user, &(struct registry_room){ left.ids - room.ids + 100, left.bytes },
			    &endless)
		   .ids,
	   100, "it may take as much again");
	ids[1] = 1;
	quota_forget_classes(quota, ids);
	ok(user->class_ids[0] == 8 && user->class_ids[1] == 2,
	   "of the ids that it has, that one alone is gone");
}

static void write_subuids(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		bail_out("%s", path);
}

static void test_subuids(void)
{
	char path[] = "/tmp/lttngmap-subuid-XXXXXX";
	struct quota *grouped;
	struct quota_limits limits = { .processes = 2 };
	int fd = mkstemp(path);

	if (fd < 0 || quota_create(&limits, &grouped) != 0)
		bail_out("no file");
	close(fd);
	write_subuids(path, "1000:100000:65536\n1001:200000:65536\n1000:400000:10\nroot:300000:10\n"
			    "nobody-of-that-name:500000:10\nnonsense\n1002:1:\n1003:0:4294967295\n"
			    "65001:700000:65536\n65002:700500:1\n");
	is(quota_group(grouped, path), 0, "a file of ranges");
	ok(quota_user(grouped, 100000) == quota_user(grouped, 1000) &&
		   quota_user(grouped, 165535) == quota_user(grouped, 1000) &&
		   quota_user(grouped, 400009) == quota_user(grouped, 1000),
	   "subordinate ids are their user");
	is(quota_user(grouped, 165536)->uid, 165536, "an id beyond them is itself");
	is(quota_user(grouped, 200000)->uid, 1001, "another user's are his");
	is(quota_user(grouped, 300009)->uid, 300000, "root's are one user of their own");
	ok(quota_user(grouped, 300009)->limited, "which is limited");
	is(quota_user(grouped, 500009)->uid, 500000, "as are those of a name that is not here");
	is(quota_user(grouped, 1003)->uid, 1003, "what makes no sense is passed over");
	is(quota_user(grouped, 720000)->uid, 65001, "an id behind a range within a range");
	is(quota_user(grouped, 700500)->uid, 65001, "where ranges overlap, the first one counts");
	is(quota_user(grouped, 600000)->uid, 600000, "an id without an owner");
	write_subuids(path, "1000:600000:100\n");
	is(quota_user(grouped, 600001)->uid, 1000, "the file is read again for one that is new");
	unlink(path);
	quota_destroy(grouped);
}

static uint64_t counted;
static uint64_t held;

static uint64_t count(const struct quota_user *user, void *data)
{
	(void)user;
	(void)data;
	counted++;
	return held;
}

static void test_memory(void)
{
	held = 1000;
	is(quota_check_memory(stranger, 5000000, count, NULL), 0, "as much memory as there may be");
	held = 1001;
	is(quota_check_memory(stranger, 5500000, count, NULL), 0, "within a second");
	is(counted, 1, "nobody counts again");
	is(quota_check_memory(stranger, 7000000, count, NULL), -EDQUOT, "more is too much");
	is(quota_check_memory(root, 7000000, count, NULL), 0, "but for root");
	is(counted, 2, "whose is not counted");
}

/* How many of a kind are had at one instant. */
static unsigned int burst(uint64_t (*take)(struct quota_user *, uint64_t), struct quota_user *user,
			  uint64_t now)
{
	unsigned int had = 0;

	while (had < 100000 && take(user, now) == 0)
		had++;
	return had;
}

static void test_rates(void)
{
	char more[QUOTA_MORE_SIZE];
	struct quota_user *commander = quota_user(quota, geteuid() + 1000 + 512);
	uint64_t now = 1000000000, wait;
	unsigned int had = burst(quota_take_connection, stranger, now);

	ok(had >= 100 && had <= 102, "a second's connections at once: %u", had);
	wait = quota_take_connection(stranger, now);
	ok(wait > 0 && wait <= 20000, "then one waits %llu us", (unsigned long long)wait);
	is(quota_take_connection(stranger, now + wait), 0, "and gets it");
	had = burst(quota_take_connection, stranger, now + wait + 500000);
	ok(had >= 49 && had <= 51, "half a second later there are half as many: %u", had);
	had = burst(quota_take_connection, stranger, now + 100000000);
	ok(had >= 100 && had <= 102, "however long the pause, a second's: %u", had);
	is(burst(quota_take_connection, root, now), 100000, "root has no end of them");
	is(burst(quota_take_connection, self, now), 100000, "nor has the daemon's user");

	for (had = 0; quota_take_message(other, QUOTA_COMMAND_COST, now) == 0; had++)
		continue;
	ok(had >= 100 && had <= 102, "a command is worth ten messages: %u", had);
	is(quota_take_message(commander, QUOTA_COMMAND_COST, now), 0, "one command");
	quota_charge_command(commander, 200000000);
	ok(quota_take_message(commander, 1, now + 900000) > 0, "one of 200 ms counts for 2 s");
	is(quota_take_message(commander, 1, now + 1100000), 0, "less the one that is had at once");
	had = burst(quota_take_log_line, root, now);
	ok(had >= 10 && had <= 12, "of nobody much is said: %u", had);
	ok(!quota_may_say(root, now, more) && !quota_may_say(root, now, more), "nor shown");
	ok(quota_may_say(root, now + 2000000, more), "later there is a line more");
	is_string(more, " (2 such messages were not shown)", "which says how many there were not");
	ok(quota_may_say(NULL, now, more) && !more[0], "of nobody known all is");
}

static void count_users(struct quota_user *user, void *data)
{
	(void)user;
	++*(int *)data;
}

int main(void)
{
	int users = 0;

	test_defaults();
	test_parse();
	is(quota_create(&limits, &quota), 0, "made");
	stranger = quota_user(quota, geteuid() + 1000);
	other = quota_user(quota, geteuid() + 1000 + 256);
	root = quota_user(quota, 0);
	self = quota_user(quota, geteuid());
	ok(stranger && other && stranger != other, "two users");
	ok(quota_user(quota, geteuid() + 1000) == stranger, "known again");
	quota_each(quota, count_users, &users);
	is(users, geteuid() == 0 ? 3 : 4, "all are there");
	test_held();
	test_share_of_descriptors();
	test_share_of_records();
	test_classes();
	test_disk();
	test_give_back();
	test_subuids();
	test_memory();
	test_rates();
	quota_destroy(quota);
	return done_testing();
}
