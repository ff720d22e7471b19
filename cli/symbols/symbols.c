/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/symbols/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/field-member.h"
#include "cli/base/message.h"
#include "cli/base/text-output.h"
#include "cli/symbols/loaded.h"
#include "common/base/name.h"

#define PLACES_AT_FIRST 64
/* Files kept; a trace may name any number. */
#define FILES_MOST 4096
/* Files open at once; each may have two descriptors. */
#define OPEN_MOST 128
/* Unusable files that are named in messages. */
#define TOLD_MOST 5

int symbols_option_none;
char *symbols_option_root;

/* Determined once for each event class; members are -1 if the class lacks them. */
struct class
{
	const bt_event_class *bt; /* key; NULL: free */
	enum symbols_telling telling;
	int64_t baddr, memsz, path, build_id;
};

struct process {
	uint64_t machine;
	int64_t pid;
	struct loaded loaded;
};

struct symbols {
	struct class *classes; /* open addressing, like the next table */
	size_t nr_classes, classes_used;
	struct process **processes;
	size_t nr_processes, processes_used;
	struct symbol_file **files;
	size_t nr_files, nr_open; /* at most that many are open */
	uint64_t too_many;        /* objects left out because there are too many */
	uint64_t untold;          /* addresses of processes that never told of a library */
	struct process *now; /* the current event's process; NULL: it never told of a library */
	char *root;
};

/* ---- classes ------------------------------------------------------------------------ */

static size_t class_place(const struct symbols *symbols, const bt_event_class *bt)
{
	size_t place = ((uintptr_t)bt * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

	place &= symbols->nr_classes - 1;
	while (symbols->classes[place].bt && symbols->classes[place].bt != bt)
		place = (place + 1) & (symbols->nr_classes - 1);
	return place;
}

static int grow_classes(struct symbols *symbols)
{
	struct symbols larger = *symbols;

	larger.nr_classes = symbols->nr_classes ? symbols->nr_classes * 2 : PLACES_AT_FIRST;
	larger.classes = calloc(larger.nr_classes, sizeof(*larger.classes));
	if (!larger.classes)
		return -ENOMEM;
	for (size_t i = 0; i < symbols->nr_classes; i++) {
		if (symbols->classes[i].bt)
			larger.classes[class_place(&larger, symbols->classes[i].bt)] =
				symbols->classes[i];
	}
	free(symbols->classes);
	*symbols = larger;
	return 0;
}

static int64_t find_member(const bt_field_class *structure, const char *name,
			   bt_field_class_type wanted)
{
	bt_field_class_type type;
	int64_t member = field_member(structure, name, &type);

	return bt_field_class_type_is(type, wanted) ? member : -1;
}

enum symbols_telling symbols_telling_of(const char *name)
{
	static const struct {
		const char *name;
		enum symbols_telling telling;
	} tellings[] = {
		{ "lttng_ust_statedump:start", SYMBOLS_TELLS_BEGIN },
		{ "lttng_ust_statedump:end", SYMBOLS_TELLS_END },
		{ "lttng_ust_statedump:bin_info", SYMBOLS_TELLS_OBJECT },
		{ "lttng_ust_statedump:build_id", SYMBOLS_TELLS_BUILD_ID },
		{ "lttng_ust_lib:load", SYMBOLS_TELLS_OBJECT },
		{ "lttng_ust_lib:build_id", SYMBOLS_TELLS_BUILD_ID },
		{ "lttng_ust_lib:unload", SYMBOLS_TELLS_UNLOAD },
		{ "lttng_ust_dl:dlopen", SYMBOLS_TELLS_OBJECT },
		{ "lttng_ust_dl:dlmopen", SYMBOLS_TELLS_OBJECT },
		{ "lttng_ust_dl:build_id", SYMBOLS_TELLS_BUILD_ID },
	};

	for (size_t i = 0; i < sizeof(tellings) / sizeof(tellings[0]); i++)
		if (name && strcmp(tellings[i].name, name) == 0)
			return tellings[i].telling;
	return SYMBOLS_TELLS_NOTHING;
}

static enum symbols_telling telling_of(const struct class *class, const char *name)
{
	enum symbols_telling telling = symbols_telling_of(name);

	if ((telling > SYMBOLS_TELLS_END && class->baddr < 0) ||
	    (telling == SYMBOLS_TELLS_OBJECT && (class->memsz < 0 || class->path < 0)) ||
	    (telling == SYMBOLS_TELLS_BUILD_ID && class->build_id < 0))
		return SYMBOLS_TELLS_NOTHING;
	return telling;
}

static const struct class *get_class(struct symbols *symbols, const bt_event *event)
{
	const bt_event_class *bt = bt_event_borrow_class_const(event);
	const bt_field_class *payload;
	struct class *class;

	if (symbols->classes_used * 2 >= symbols->nr_classes && grow_classes(symbols) < 0)
		return NULL;
	class = &symbols->classes[class_place(symbols, bt)];
	if (class->bt)
		return class;
	payload = bt_event_class_borrow_payload_field_class_const(bt);
	*class = (struct class){
		.bt = bt,
		.baddr = find_member(payload, "baddr", BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER),
		.memsz = find_member(payload, "memsz", BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER),
		.path = find_member(payload, "path", BT_FIELD_CLASS_TYPE_STRING),
		.build_id = find_member(payload, "build_id", BT_FIELD_CLASS_TYPE_ARRAY),
	};
	class->telling = telling_of(class, bt_event_class_get_name(bt));
	symbols->classes_used++;
	return class;
}

/* ---- processes ------------------------------------------------------------------------ */

static size_t process_place(const struct symbols *symbols, uint64_t machine, int64_t pid)
{
	uint64_t hash = machine ^ (uint64_t)pid * UINT64_C(0x9e3779b97f4a7c15);
	size_t place = (hash >> 32) & (symbols->nr_processes - 1);

	while (symbols->processes[place] && (symbols->processes[place]->pid != pid ||
					     symbols->processes[place]->machine != machine))
		place = (place + 1) & (symbols->nr_processes - 1);
	return place;
}

static int grow_processes(struct symbols *symbols)
{
	struct symbols larger = *symbols;

	larger.nr_processes = symbols->nr_processes ? symbols->nr_processes * 2 : PLACES_AT_FIRST;
	larger.processes = calloc(larger.nr_processes, sizeof(struct process *));
	if (!larger.processes)
		return -ENOMEM;
	for (size_t i = 0; i < symbols->nr_processes; i++) {
		struct process *process = symbols->processes[i];

		if (process)
			larger.processes[process_place(&larger, process->machine, process->pid)] =
				process;
	}
	free(symbols->processes);
	*symbols = larger;
	return 0;
}

static struct process *find_process(const struct symbols *symbols, uint64_t machine, int64_t pid)
{
	const struct process *now = symbols->now;

	if (now && now->pid == pid && now->machine == machine)
		return symbols->now;
	if (symbols->nr_processes == 0 || pid < 0 || !machine)
		return NULL;
	return symbols->processes[process_place(symbols, machine, pid)];
}

static struct process *make_process(struct symbols *symbols, uint64_t machine, int64_t pid)
{
	struct process *process;

	if (pid < 0 || !machine ||
	    (symbols->processes_used * 2 >= symbols->nr_processes && grow_processes(symbols) < 0))
		return NULL;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->machine = machine;
	process->pid = pid;
	symbols->processes[process_place(symbols, machine, pid)] = process;
	symbols->processes_used++;
	return process;
}

/* ---- events ---------------------------------------------------------------------------- */

static const bt_field *member_of(const bt_event *event, int64_t member)
{
	return bt_field_structure_borrow_member_field_by_index_const(
		bt_event_borrow_payload_field_const(event), member);
}

static uint64_t unsigned_of(const bt_event *event, int64_t member)
{
	return bt_field_integer_unsigned_get_value(member_of(event, member));
}

/* The array's bytes; *size 0: it has others; more than fit: too many. */
static void read_build_id(const bt_field *array, uint8_t bytes[SYMBOL_BUILD_ID_MAX], size_t *size)
{
	uint64_t length = bt_field_array_get_length(array);

	*size = 0;
	for (uint64_t i = 0; i < length && length <= SYMBOL_BUILD_ID_MAX; i++) {
		const bt_field *byte = bt_field_array_borrow_element_field_by_index_const(array, i);

		if (!bt_field_class_type_is(bt_field_get_class_type(byte),
					    BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
			return;
		bytes[i] = (uint8_t)bt_field_integer_unsigned_get_value(byte);
	}
	*size = length;
}

static void take_build_id(struct loaded *loaded, const struct symbols_fact *fact)
{
	struct loaded_object *object = loaded_find(loaded, fact->baddr);

	if (!object || object->baddr != fact->baddr || fact->build_id_size > SYMBOL_BUILD_ID_MAX)
		return;
	object->file = NULL;
	object->has_no_file = false;
	memcpy(object->what.build_id, fact->build_id, fact->build_id_size);
	object->what.build_id_size = fact->build_id_size;
}

static void take(struct symbols *symbols, struct loaded *loaded, const struct symbols_fact *fact)
{
	switch (fact->telling) {
	case SYMBOLS_TELLS_BEGIN:
		loaded->dump++;
		break;
	case SYMBOLS_TELLS_END:
		loaded_end_dump(loaded);
		break;
	case SYMBOLS_TELLS_OBJECT:
		if (loaded_add(loaded, fact->baddr, fact->memsz, fact->path) == -ENOSPC)
			symbols->too_many++;
		break;
	case SYMBOLS_TELLS_BUILD_ID:
		take_build_id(loaded, fact);
		break;
	case SYMBOLS_TELLS_UNLOAD:
		loaded_drop(loaded, fact->baddr);
		break;
	default:
		break;
	}
}

void symbols_tell(struct symbols *symbols, uint64_t machine, int64_t pid,
		  const struct symbols_fact *fact)
{
	symbols->now = find_process(symbols, machine, pid);
	if (fact->telling == SYMBOLS_TELLS_NOTHING)
		return;
	if (!symbols->now)
		symbols->now = make_process(symbols, machine, pid);
	if (symbols->now)
		take(symbols, &symbols->now->loaded, fact);
}

void symbols_event(struct symbols *symbols, uint64_t machine, int64_t pid, const bt_event *event)
{
	const struct class *class = get_class(symbols, event);
	struct symbols_fact fact = { .telling = class ? class->telling : SYMBOLS_TELLS_NOTHING };
	uint8_t build_id[SYMBOL_BUILD_ID_MAX];

	if (fact.telling > SYMBOLS_TELLS_END)
		fact.baddr = unsigned_of(event, class->baddr);
	if (fact.telling == SYMBOLS_TELLS_OBJECT) {
		fact.memsz = unsigned_of(event, class->memsz);
		fact.path = field_string(member_of(event, class->path));
	} else if (fact.telling == SYMBOLS_TELLS_BUILD_ID) {
		read_build_id(member_of(event, class->build_id), build_id, &fact.build_id_size);
		fact.build_id = build_id;
	}
	symbols_tell(symbols, machine, pid, &fact);
}

void symbols_end_of_traces(struct symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->classes);
	symbols->classes = NULL;
	symbols->nr_classes = symbols->classes_used = 0;
	symbols->now = NULL;
}

/* ---- addresses -------------------------------------------------------------------------- */

enum kind {
	KIND_NONE,
	KIND_FUNCTION,    /* address of the first byte */
	KIND_INSTRUCTION, /* address in a function, or behind a call in it */
	KIND_RETURN,      /* address behind a call */
};

static enum kind kind_of(const char *name)
{
	switch (name[0]) {
	case 'i':
		return strcmp(name, "ip") == 0 ? KIND_INSTRUCTION : KIND_NONE;
	case 'a':
		return strcmp(name, "addr") == 0 ? KIND_FUNCTION : KIND_NONE;
	case 'c':
		return strcmp(name, "call_site") == 0 || strcmp(name, "callstack_user") == 0
			       ? KIND_RETURN
			       : KIND_NONE;
	case 't':
		return strcmp(name, "this_fn") == 0 ? KIND_FUNCTION : KIND_NONE;
	default:
		return KIND_NONE;
	}
}

bool symbols_is_address(const char *name)
{
	return kind_of(name) != KIND_NONE;
}

/*
 * Addresses are displayed in base 16. A number of the same name, such as an IPv4 address, is not.
 */
static bool is_pointer(const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);

	return bt_field_class_get_type(class) == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER &&
	       bt_field_class_integer_get_preferred_display_base(class) ==
		       BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL;
}

/* Processes with the same library share its symbol file. */
static struct symbol_file *get_file(struct symbols *symbols, const struct symbol_object *object)
{
	struct symbol_file **larger;

	for (size_t i = 0; i < symbols->nr_files; i++) {
		if (symbol_file_is(symbols->files[i], object))
			return symbols->files[i];
	}
	if (symbols->nr_files == FILES_MOST)
		return NULL;
	larger = realloc(symbols->files, (symbols->nr_files + 1) * sizeof(struct symbol_file *));
	if (!larger)
		return NULL;
	symbols->files = larger;
	larger[symbols->nr_files] = symbol_file_create(object, symbols->root);
	return larger[symbols->nr_files] ? larger[symbols->nr_files++] : NULL;
}

/* Closes the file whose last question is the oldest. */
static void close_one(struct symbols *symbols)
{
	struct symbol_file *oldest = NULL;
	size_t nr_open = 0;

	if (symbols->nr_open++ < OPEN_MOST)
		return;
	for (size_t i = 0; i < symbols->nr_files; i++) {
		struct symbol_file *file = symbols->files[i];

		if (symbol_file_state(file) != SYMBOL_FILE_GOOD)
			continue;
		nr_open++;
		if (!oldest || symbol_file_used(file) < symbol_file_used(oldest))
			oldest = file;
	}
	if (oldest && nr_open >= OPEN_MOST) {
		symbol_file_close(oldest);
		nr_open--;
	}
	symbols->nr_open = nr_open + 1;
}

static struct symbol *find_symbol(struct symbols *symbols, enum kind kind, uint64_t address)
{
	struct loaded_object *object = loaded_find(&symbols->now->loaded, address);
	struct symbol *symbol;

	if (object && !object->file && !object->has_no_file) {
		object->file = get_file(symbols, &object->what);
		object->has_no_file = !object->file;
		symbols->too_many += object->has_no_file;
	}
	if (!object || !object->file)
		return NULL;
	if (symbol_file_state(object->file) == SYMBOL_FILE_UNSEEN)
		close_one(symbols);
	address -= object->baddr;
	symbol = symbol_file_find(object->file, address, kind == KIND_RETURN);
	/* A return address may lie behind a function's last instruction. */
	if (symbol && kind == KIND_INSTRUCTION && !symbol->function)
		symbol = symbol_file_find(object->file, address, true);
	return symbol;
}

struct symbol *symbols_find(struct symbols *symbols, const char *name, const bt_field *field)
{
	enum kind kind = symbols ? kind_of(name) : KIND_NONE;

	if (kind == KIND_NONE || !is_pointer(field))
		return NULL;
	if (!symbols->now) {
		symbols->untold++;
		return NULL;
	}
	return find_symbol(symbols, kind, bt_field_integer_unsigned_get_value(field));
}

uint64_t symbols_untold(const struct symbols *symbols)
{
	return symbols ? symbols->untold : 0;
}

struct symbol *symbols_at(struct symbols *symbols, uint64_t machine, int64_t pid, uint64_t address)
{
	symbols->now = find_process(symbols, machine, pid);
	return symbols->now ? find_symbol(symbols, KIND_INSTRUCTION, address) : NULL;
}

bool symbols_each(struct symbols *symbols, size_t *number, uint64_t *machine, int64_t *pid)
{
	for (; *number < symbols->nr_processes; (*number)++) {
		const struct process *process = symbols->processes[*number];

		if (!process)
			continue;
		*machine = process->machine;
		*pid = process->pid;
		(*number)++;
		return true;
	}
	return false;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Replaces what acts on a terminal or is no UTF-8; the text gets no longer. */
static char *copy_printable(const char *text)
{
	char *copy = strdup(text);

	for (char *c = copy; c && *c;) {
		size_t length = name_directs(c) ? 0 : text_letter_length(c);

		if (length == 0)
			*c = '_';
		c += length ? length : 1;
	}
	return copy;
}

const char *symbols_text(struct symbol *symbol)
{
	const char *name = symbol->function ? symbol->function : base_of(symbol->object);
	char text[1024], offset[32] = "", line[32] = "";

	if (symbol->text)
		return symbol->text;
	if (symbol->offset)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, symbol->offset);
	if (symbol->source)
		snprintf(line, sizeof(line), ":%d", symbol->line);
	snprintf(text, sizeof(text), "%.640s%s%s%.256s%s", name, offset,
		 symbol->source ? " at " : "", symbol->source ? base_of(symbol->source) : "", line);
	symbol->text = copy_printable(text);
	return symbol->text ? symbol->text : "?";
}

/* ---- all of it -------------------------------------------------------------------------- */

struct symbols *symbols_create(void)
{
	struct symbols *symbols = symbols_option_none ? NULL : calloc(1, sizeof(*symbols));

	if (symbols)
		symbols->root = symbols_option_root;
	return symbols;
}

void symbols_destroy(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->nr_processes; i++) {
		struct process *process = symbols->processes[i];

		if (!process)
			continue;
		loaded_clear(&process->loaded);
		free(process);
	}
	for (size_t i = 0; i < symbols->nr_files; i++)
		symbol_file_destroy(symbols->files[i]);
	free(symbols->files);
	free(symbols->processes);
	free(symbols->classes);
	free(symbols);
}

void symbols_report(const struct symbols *symbols, const char *verb)
{
	size_t told = 0;

	for (size_t i = 0; symbols && i < symbols->nr_files && told < TOLD_MOST; i++) {
		const struct symbol_file *file = symbols->files[i];

		if (symbol_file_state(file) != SYMBOL_FILE_CHANGED)
			continue;
		message_note("%s: no names for '%s': it is not what was traced any more", verb,
			     symbol_file_path(file));
		told++;
	}
	if (symbols && symbols->too_many)
		message_note("%s: %" PRIu64
			     " programs and libraries have no names: there are too many",
			     verb, symbols->too_many);
}
