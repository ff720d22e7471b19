/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * ledger.c - any bytes in what a killed daemon left: its saved state, and the files of
 * a process's rings. The input is a list of what is written over a sound one:
 * where (a byte: enum place), offset (4 bytes), bytes (a message).
 *
 * It is refused, or lives: then no ring gives a packet outside of its
 * sub-buffers, and everything comes to its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <systemd/sd-event.h>
#include <urcu.h>

#include "common/protocol/protocol-app.h"
#include "sessiond/session/channel.h"
#include "sessiond/daemon.h"
#include "sessiond/base/parts.h"
#include "sessiond/base/listen.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/process.h"
#include "sessiond/recover/recovery.h"
#include "sessiond/ring/ring-set-private.h"
#include "sessiond/session/session.h"
#include "tests/fuzz/fuzz.h"

#define CPU_RINGS 1u
#define SUBBUF_SHIFT 12u
#define SUBBUFS_SHIFT 2u
#define PATCHES_MAX 32u
#define PATCH_MAX 4096u
#define PACKETS_MAX 1000u
#define ROUNDS_MAX 10000u

enum place {
	PLACE_HEAD,
	PLACE_TEXT,
	PLACE_LOG,
	PLACE_RECORD,
	PLACE_SET,
	PLACE_CONTROL, /* the ring's files */
	PLACE_DATA,
	PLACE_CUT_CONTROL, /* to the offset */
	PLACE_CUT_DATA,
	PLACES,
};

static const char text[] =
	"{\"sessions\":[{\"name\":\"s\",\"key\":\"s\",\"record\":0,\"owner\":0,\"group\":0,"
	"\"snapshot\":false,\"output\":\"/nonexistent/trace\",\"uuid\":"
	"\"00112233445566778899aabbccddeeff\",\"created\":1,\"state\":1,\"clearing\":false,"
	"\"has_consumer\":true,\"rotation\":{\"state\":0,\"chunk\":0,\"name\":\"\",\"begin\":0,"
	"\"automatic\":false,\"completed\":0,\"size_before\":0,\"size\":0,\"period\":0},"
	"\"trackers\":[],\"streams\":[{\"name\":\"c\",\"contexts\":0}],"
	"\"channels\":[{\"name\":\"c\",\"stream\":0,\"slot\":0,\"life\":1,\"mode\":0,"
	"\"subbuf_shift\":12,\"subbufs_shift\":2,\"blocking_timeout\":0,\"contexts\":0,"
	"\"file_size\":0,\"file_count\":0,\"last_rule\":0,\"rules\":[]}]}]}";

static int directory = -1;
/* Where ring control begins behind the meta page and ring data. */
#define CONTROL_AT (memory_page_size() + (UINT64_C(15) << SUBBUF_SHIFT))

static int files[2]; /* saved state, rings */
static struct saved_layout layout;
static uint64_t sizes[2];

/* What a patch was written over. */
static struct undo {
	int fd;
	uint64_t offset;
	size_t size;
	uint8_t bytes[PATCH_MAX];
} undo[PATCHES_MAX];
static unsigned nr_undo;
static unsigned nr_packets; /* that were given */

/* ---- what is sound -------------------------------------------------------------- */

static int make_file(const char *name, uint64_t size)
{
	int fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	FUZZ_CHECK(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
	return fd;
}

static void add_class(struct saved_state *saved_state)
{
	static const struct protocol_app_class header = {
		.provider_length = 1,
		.name_length = 1,
		.nr_fields = 0,
	};
	char bytes[sizeof(header) + 2];

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), "pe", 2);
	FUZZ_CHECK(saved_log_append(saved_state, 0, 0, bytes, sizeof(bytes)) == 0);
}

/* Two records of a class without fields in the ring's first sub-buffer. */
static void add_ring(struct saved_state *saved_state)
{
	struct lttngmap_ring ring = {
		.commit = { 16 | UINT64_C(2) << LTTNGMAP_COUNT_SHIFT, 2000 },
		.opened = { 1000 },
	};
	struct lttngmap_subbuf subbuf = { .begin = 1000 };
	uint64_t records[] = { UINT64_C(1500) << 16, UINT64_C(2000) << 16 };
	struct ring_saved *saved = saved_set(saved_state, 0, 0);

	FUZZ_CHECK(pwrite(files[1], &ring, sizeof(ring), (off_t)CONTROL_AT) ==
		   (ssize_t)sizeof(ring));
	FUZZ_CHECK(pwrite(files[1], &subbuf, sizeof(subbuf),
			  (off_t)(CONTROL_AT + sizeof(ring) +
				  (((8u << SUBBUFS_SHIFT) + 63) & ~63u))) > 0);
	FUZZ_CHECK(pwrite(files[1], records, sizeof(records), (off_t)memory_page_size()) > 0);
	saved->id = 1;
	saved->life = 1;
	for (uint32_t i = 0; i < CPU_RINGS + LTTNGMAP_EXTRA_RINGS; i++)
		saved->readers[i].reader_subbuf = 1u << SUBBUFS_SHIFT;
}

static void make_left(void)
{
	struct saved_state *saved_state;
	struct saved_process *record;

	directory = open(fuzz_directory(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_CHECK(directory >= 0);
	saved_lay_out(CPU_RINGS, &layout);
	FUZZ_CHECK(saved_state_create_in(CPU_RINGS, directory, &saved_state) == 0);
	sizes[0] = layout.size;
	sizes[1] = CONTROL_AT + (UINT64_C(1) << 22);
	FUZZ_CHECK(mkdirat(directory, "ring-1", 0700) == 0);
	files[1] = make_file("ring-1/ring-2", sizes[1]);
	saved_state->head->named_files = true;
	saved_state->head->lives = 1;
	saved_state->head->last_set = 1;
	saved_state->head->last_life = 1;
	saved_state->head->calibration.clock = LTTNGMAP_CLOCK_MONOTONIC;
	FUZZ_CHECK(saved_text_write(saved_state, text, sizeof(text) - 1) == 0);
	add_class(saved_state);
	FUZZ_CHECK(saved_described_reserve(saved_state, 0, 0) == 0);
	saved_described(saved_state, 0, 0)[0] = 1;
	FUZZ_CHECK(saved_process_take(saved_state) == 0);
	record = saved_process(saved_state, 0);
	record->pid = 1;
	strcpy(record->name, "program");
	record->folder = 1;
	record->file[0] = 2;
	record->control_at[0] = CONTROL_AT;
	add_ring(saved_state);
	saved_process_set(saved_state, 0, SAVED_LIVE);
	files[0] = openat(directory, SAVED_FILE, O_RDWR | O_CLOEXEC);
	FUZZ_CHECK(files[0] >= 0);
	saved_state_destroy(saved_state);
}

/* ---- what is written over it -------------------------------------------------------- */

static uint64_t place_of(enum place place, unsigned *file)
{
	*file = place == PLACE_CONTROL || place == PLACE_DATA;
	switch (place) {
	case PLACE_CONTROL:
		return CONTROL_AT;
	case PLACE_TEXT:
		return layout.text[1];
	case PLACE_LOG:
		return layout.log[0];
	case PLACE_RECORD:
		return layout.records;
	case PLACE_SET:
		return layout.records + saved_set_offset(&layout, 0);
	default:
		return 0;
	}
}

static void patch(enum place place, uint32_t offset, const uint8_t *bytes, size_t size)
{
	struct undo *before = &undo[nr_undo];
	unsigned file;
	uint64_t at;

	if (place == PLACE_CUT_CONTROL || place == PLACE_CUT_DATA) {
		at = place == PLACE_CUT_CONTROL ? CONTROL_AT + offset % (sizes[1] - CONTROL_AT + 1)
						: offset % (CONTROL_AT + 1);
		FUZZ_CHECK(ftruncate(files[1], (off_t)at) == 0);
		return;
	}
	/* Within the place's first pages, where there is something. */
	at = place_of(place, &file) + offset % (place == PLACE_HEAD ? 65536 : 8192);
	if (size > PATCH_MAX)
		size = PATCH_MAX;
	if (nr_undo == PATCHES_MAX || at + size > sizes[file])
		return;
	before->fd = files[file];
	before->offset = at;
	before->size = size;
	if (pread(files[file], before->bytes, size, (off_t)at) != (ssize_t)size)
		return;
	nr_undo++;
	FUZZ_CHECK(pwrite(files[file], bytes, size, (off_t)at) == (ssize_t)size);
}

static void patch_all(struct fuzz_input *input)
{
	while (input->size > 0) {
		enum place place = fuzz_take_byte(input) % PLACES;
		uint32_t offset = 0;
		const uint8_t *bytes;
		size_t size;

		for (unsigned i = 0; i < 4; i++)
			offset |= (uint32_t)fuzz_take_byte(input) << 8 * i;
		bytes = fuzz_take_message(input, &size);
		patch(place, offset, bytes, size);
	}
}

/* A ring's end that was noted is undone, too: the set as it was made. */
static void unpatch(const uint8_t *set, size_t set_size)
{
	while (nr_undo > 0) {
		const struct undo *before = &undo[--nr_undo];

		FUZZ_CHECK(ftruncate(files[1], (off_t)sizes[1]) == 0);
		FUZZ_CHECK(pwrite(before->fd, before->bytes, before->size, (off_t)before->offset) ==
			   (ssize_t)before->size);
	}
	FUZZ_CHECK(ftruncate(files[1], (off_t)sizes[1]) == 0);
	FUZZ_CHECK(pwrite(files[0], set, set_size,
			  (off_t)(layout.records + saved_set_offset(&layout, 0))) ==
		   (ssize_t)set_size);
}

/* ---- the life ------------------------------------------------------------------------- */

static void read_set(struct ring_set *set)
{
	uint32_t ids = set->rings * ((1u << set->config.subbufs_shift) + 1);
	struct lttngmap_packet packet;
	unsigned packets = 0;

	for (;;) {
		packet = (struct lttngmap_packet){
			.cpu = LTTNGMAP_CPU_ANY,
			.flags = LTTNGMAP_PACKET_PARTIAL,
		};
		if (ring_set_get_packet(set, &packet) != 0)
			break;
		FUZZ_CHECK(packets++ < PACKETS_MAX);
		nr_packets++;
		FUZZ_CHECK(packet.cpu < set->rings && packet.subbuf_id < ids);
		FUZZ_CHECK((uint64_t)packet.offset + packet.length <=
			   UINT64_C(1) << set->config.subbuf_shift);
		FUZZ_CHECK(packet.timestamp_begin <= packet.timestamp_end);
	}
}

static void read_all(struct daemon *daemon)
{
	struct session *session;
	struct channel *channel;
	struct process_channel *member;

	cds_list_for_each_entry(session, sessions_list(daemon->sessions), node)
		cds_list_for_each_entry(channel, &session->channels, node)
			cds_list_for_each_entry(member, &channel->process_channels, node)
				read_set(member->set);
}

static void live(struct recovery *recovery, struct saved_state *saved_state)
{
	char path[PATH_MAX], rings[PATH_MAX];
	struct options options = {
		.runtime_dir = path,
		.mediator = "ring-socket",
		.clock = "monotonic",
		.consumer = "none",
		.private_instance = true,
	};
	struct daemon *daemon = NULL;
	sd_event *event = NULL;
	unsigned rounds = 0;

	snprintf(path, sizeof(path), "%s/run", fuzz_directory());
	snprintf(rings, sizeof(rings), "%.4000s/rings", path);
	FUZZ_CHECK(mkdir(path, 0700) == 0 && mkdir(rings, 0700) == 0);
	FUZZ_CHECK(sd_event_new(&event) >= 0 && listen_make(path) == 0);
	if (daemon_create(&options, saved_state, event, recovery, &daemon) == 0) {
		read_all(daemon);
		while (sd_event_run(event, 0) > 0)
			FUZZ_CHECK(rounds++ < ROUNDS_MAX);
	}
	daemon_destroy(daemon);
	listen_end();
	sd_event_unref(event);
	FUZZ_CHECK(system("rm -rf \"${FUZZ_LEDGER:?}\"/run") == 0);
}

static void recover(void)
{
	struct recovery recovery = { .path = "left", .dir = directory };
	char why[RECOVER_WHY_SIZE];
	struct saved_state *saved_state;

	if (recover_saved_open(files[0], &recovery.old, why) != 0)
		return;
	FUZZ_CHECK(recovery.old.head->cpu_rings == CPU_RINGS);
	(void)recover_saved_is_empty(&recovery.old);
	recovery.problems = json_object_new_array();
	FUZZ_CHECK(recover_sources_open(directory, &recovery.sources) == 0);
	FUZZ_CHECK(saved_state_create(CPU_RINGS, &saved_state) == 0);
	if (recover_saved_import(&recovery.old, saved_state, why) == 0)
		live(&recovery, saved_state);
	saved_state_destroy(saved_state);
	recover_sources_close(recovery.sources);
	json_object_put(recovery.problems);
	recover_saved_close(&recovery.old);
}

static void begin(void)
{
	rcu_register_thread();
	make_left();
	setenv("FUZZ_LEDGER", fuzz_directory(), 1);
	/* As it is, it is read: inputs reach that far. */
	recover();
	FUZZ_CHECK(nr_packets == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t set[65536];
	struct fuzz_input input = { data, size };
	size_t set_size = ring_set_saved_size(CPU_RINGS);
	uint64_t set_at;

	FUZZ_CHECK(set_size <= sizeof(set));
	if (directory < 0)
		begin();
	set_at = layout.records + saved_set_offset(&layout, 0);
	FUZZ_CHECK(pread(files[0], set, set_size, (off_t)set_at) == (ssize_t)set_size);
	patch_all(&input);
	recover();
	unpatch(set, set_size);
	return 0;
}
