/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * registry.c - event classes from processes: what is right gets one id, what
 * is wrong is refused for the reason that it was made wrong for.
 */
#include <errno.h>
#include <urcu.h>

#include <lttngmap/abi.h>

#include "sessiond/class/registry.h"
#include "tests/utils/class-wire.h"
#include "tests/utils/tap.h"

#define NO_ID PROTOCOL_APP_NO_ID
#define INTEGER(wire, name) class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 4, 0, 10, 0, name)

static struct class_wire wire;

static void reset(void)
{
	wire.size = 0;
	wire.nr_classes = 0;
}

static struct protocol_app_class *first_class(void)
{
	return (struct protocol_app_class *)wire.bytes;
}

/* The first field of a class p:e. */
static struct protocol_app_field *first_field(void)
{
	return (struct protocol_app_field *)(wire.bytes + sizeof(struct protocol_app_class) + 2);
}

/* ---- a class that is wrong in one way each --------------------------------- */

static void long_text(char *text, size_t length)
{
	memset(text, 'a', length);
	text[length] = '\0';
}

static void make_names(const char *provider, const char *name)
{
	class_wire_class(&wire, provider, name, 0);
}

static void make_kind(unsigned kind, unsigned size, unsigned flags, unsigned base, uint32_t count)
{
	class_wire_class(&wire, "p", "e", 1);
	class_wire_field(&wire, kind, size, flags, base, count, "f");
}

static void make_label(const char *label, int64_t first, int64_t last)
{
	class_wire_class(&wire, "p", "e", 1);
	class_wire_enum(&wire, 4, 0, "f", "n", 1);
	class_wire_value(&wire, label, first, last);
}

#define MAKE(name, ...)                                                                            \
	static void name(void)                                                                     \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}

static void make_fields(unsigned kind, const char *first, const char *second)
{
	class_wire_class(&wire, "p", "e", 2);
	class_wire_field(&wire, kind, 1, 0, 10, 1, first);
	INTEGER(&wire, second);
}

MAKE(no_provider, make_names("", "e"))
MAKE(no_name, make_names("p", ""))
MAKE(colon_in_provider, make_names("a:b", "e"))
MAKE(quote_in_name, make_names("p", "a\"; };"))
MAKE(newline_in_name, make_names("p", "a\nb"))
MAKE(digit_first, make_names("p", "1e"))

static void nul_in_name(void)
{
	make_names("p", "abc");
	wire.bytes[sizeof(struct protocol_app_class) + 2] = '\0';
}

static void long_name(void)
{
	char provider[129], name[128];

	long_text(provider, 128);
	long_text(name, 127);
	make_names(provider, name);
}

static void bad_loglevel(void)
{
	make_names("p", "e");
	first_class()->loglevel = LTTNGMAP_LOGLEVEL_DEBUG + 1;
}

static void many_fields(void)
{
	char name[8];

	class_wire_class(&wire, "p", "e", LTTNGMAP_FIELDS_MAX + 1);
	for (unsigned i = 0; i <= LTTNGMAP_FIELDS_MAX; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		INTEGER(&wire, name);
	}
}

MAKE(kind_0, make_kind(0, 4, 0, 10, 0))
MAKE(kind_9, make_kind(9, 4, 0, 10, 0))
MAKE(size_3, make_kind(LTTNGMAP_FIELD_INTEGER, 3, 0, 10, 0))
MAKE(size_0, make_kind(LTTNGMAP_FIELD_SEQUENCE, 0, 0, 10, 0))
MAKE(size_16, make_kind(LTTNGMAP_FIELD_ARRAY, 16, 0, 10, 1))
MAKE(float_2, make_kind(LTTNGMAP_FIELD_FLOAT, 2, 0, 10, 0))
MAKE(wide_string, make_kind(LTTNGMAP_FIELD_STRING, 4, 0, 10, 0))
MAKE(wide_text, make_kind(LTTNGMAP_FIELD_TEXT, 2, 0, 10, 4))
MAKE(base_7, make_kind(LTTNGMAP_FIELD_INTEGER, 4, 0, 7, 0))
MAKE(base_0, make_kind(LTTNGMAP_FIELD_INTEGER, 4, 0, 0, 0))
MAKE(flag_4, make_kind(LTTNGMAP_FIELD_INTEGER, 4, 4, 10, 0))
MAKE(empty_array, make_kind(LTTNGMAP_FIELD_ARRAY, 4, 0, 10, 0))
MAKE(empty_text, make_kind(LTTNGMAP_FIELD_TEXT, 1, 0, 10, 0))
MAKE(huge_array, make_kind(LTTNGMAP_FIELD_ARRAY, 8, 0, 10, UINT32_MAX))
MAKE(large_array, make_kind(LTTNGMAP_FIELD_ARRAY, 8, 0, 10, 511))
MAKE(empty_label, make_label("", 0, 0))
MAKE(escape_label, make_label("a\033[31m", 0, 0))
MAKE(no_utf8_label, make_label("a\xff", 0, 0))
MAKE(range_back, make_label("l", 1, 0))

static void bad_enum_size(void)
{
	make_label("l", 0, 0);
	first_field()->size = 5;
}

static void large_sum(void)
{
	class_wire_class(&wire, "p", "e", 2);
	class_wire_field(&wire, LTTNGMAP_FIELD_TEXT, 1, 0, 10,
			 LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE, "f");
	class_wire_field(&wire, LTTNGMAP_FIELD_STRING, 1, 0, 10, 0, "g");
}

MAKE(field_no_name, make_fields(LTTNGMAP_FIELD_TEXT, "", "f"))
MAKE(field_dotted, make_fields(LTTNGMAP_FIELD_TEXT, "a.b", "f"))
MAKE(field_twice, make_fields(LTTNGMAP_FIELD_TEXT, "f", "f"))
MAKE(length_after, make_fields(LTTNGMAP_FIELD_SEQUENCE, "f", "_f_length"))
MAKE(text_length, make_fields(LTTNGMAP_FIELD_TEXT_SEQUENCE, "f", "_f_length"))

static void length_before(void)
{
	class_wire_class(&wire, "p", "e", 2);
	INTEGER(&wire, "_f_length");
	class_wire_field(&wire, LTTNGMAP_FIELD_SEQUENCE, 1, 0, 10, 0, "f");
}

static void enum_no_values(void)
{
	class_wire_class(&wire, "p", "e", 1);
	class_wire_enum(&wire, 4, 0, "f", "n", 0);
}

static void enum_bad_name(void)
{
	class_wire_class(&wire, "p", "e", 1);
	class_wire_enum(&wire, 4, 0, "f", "a b", 1);
	class_wire_value(&wire, "l", 0, 0);
}

static void enum_many_values(void)
{
	class_wire_class(&wire, "p", "e", 1);
	class_wire_enum(&wire, 4, 0, "f", "n", LTTNGMAP_ENUM_VALUES_MAX + 1);
	for (unsigned i = 0; i <= LTTNGMAP_ENUM_VALUES_MAX; i++)
		class_wire_value(&wire, "l", i, i);
}

static const struct {
	const char *what;
	void (*make)(void);
	const char *why;
} refused[] = {
	{ "no provider", no_provider, "its provider's name" },
	{ "no name", no_name, "its name is not" },
	{ "a colon in the provider", colon_in_provider, "its provider's name" },
	{ "a quote in the name", quote_in_name, "its name is not" },
	{ "a newline in the name", newline_in_name, "'p:a?b': its name is not" },
	{ "a NUL in the name", nul_in_name, "'p:a?c': its name is not" },
	{ "a digit at the start", digit_first, "its name is not" },
	{ "256 bytes of PROVIDER:NAME", long_name, "longer than 255" },
	{ "a log level of 15", bad_loglevel, "log level 15" },
	{ "121 fields", many_fields, "121 fields" },
	{ "a kind of 0", kind_0, "'p:e', field 'f': unknown kind 0" },
	{ "a kind of 9", kind_9, "unknown kind 9" },
	{ "an integer of 3 bytes", size_3, "3 bytes" },
	{ "a sequence of nothing", size_0, "0 bytes" },
	{ "an array of 16 bytes each", size_16, "16 bytes" },
	{ "a float of 2 bytes", float_2, "floating-point size of 2" },
	{ "a string of 4-byte characters", wide_string, "character of 4" },
	{ "a text of 2-byte characters", wide_text, "character of 2" },
	{ "base 7", base_7, "base 7" },
	{ "base 0", base_0, "base 0" },
	{ "an unknown flag", flag_4, "unknown flags 0x4" },
	{ "an array of 0 elements", empty_array, "no elements" },
	{ "a text of 0 bytes", empty_text, "no elements" },
	{ "an array of 2^32 - 1 elements", huge_array, "do not fit" },
	{ "an array larger than a record", large_array, "do not fit" },
	{ "fields larger than a record", large_sum, "field 'g': the fields up to it" },
	{ "a field without a name", field_no_name, "no C identifier" },
	{ "a dot in a field's name", field_dotted, "no C identifier" },
	{ "two fields of one name", field_twice, "two fields" },
	{ "a field named as a sequence's length", length_after, "length of a sequence" },
	{ "a field named as a text's length", text_length, "length of a sequence" },
	{ "the same, before the sequence", length_before, "length of a sequence" },
	{ "an enumeration of 5 bytes", bad_enum_size, "5 bytes" },
	{ "an enumeration without values", enum_no_values, "no values" },
	{ "an enumeration without a good name", enum_bad_name, "enumeration's name" },
	{ "1025 labels", enum_many_values, "1025 labels" },
	{ "an empty label", empty_label, "empty label" },
	{ "an escape sequence in a label", escape_label, "no text" },
	{ "a label that is not UTF-8", no_utf8_label, "no text" },
	{ "a range from 1 to 0", range_back, "ends before it begins" },
};

static int add(struct registry *registry, uint16_t *ids, struct registry_result *result)
{
	return registry_add(registry, wire.bytes, wire.size, wire.nr_classes, ids, result);
}

/* Between two good ones, of which each gets its id. */
static void check_refused(void)
{
	struct registry_result result;
	struct registry *registry;
	uint16_t ids[3];

	if (registry_create(&registry) < 0)
		bail_out("no registry");
	for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		int error;

		reset();
		refused[i].make();
		class_wire_class(&wire, "good", "one", 0);
		error = add(registry, ids, &result);
		ok(error == 0 && ids[0] == NO_ID && ids[1] == 0 && result.refused == 1 &&
			   strstr(result.why, refused[i].why),
		   "refused: %s", refused[i].what);
		if (error < 0 || !strstr(result.why, refused[i].why))
			diag("error %d, %s", error, result.why);
	}
	is(registry_count(registry), 1, "none of them took an id");
	is(registry_overflows(registry), 0, "nor counts as one too many");
	registry_destroy(registry);
}

/* ---- messages whose lengths are wrong --------------------------------------- */

static void make_rich(void)
{
	reset();
	class_wire_class(&wire, "shop", "order", 4);
	INTEGER(&wire, "id");
	class_wire_field(&wire, LTTNGMAP_FIELD_STRING, 1, 0, 10, 0, "customer");
	class_wire_enum(&wire, 1, LTTNGMAP_FIELD_SIGNED, "state", "shop_state", 2);
	class_wire_value(&wire, "open", -1, 0);
	class_wire_value(&wire, "closed \xe2\x82\xac", 1, 5);
	class_wire_field(&wire, LTTNGMAP_FIELD_SEQUENCE, 8, 0, 16, 0, "items");
	class_wire_class(&wire, "shop", "empty", 0);
}

/* An exact copy each, so that a sanitizer sees a read beyond it. */
static int add_bytes(struct registry *registry, const void *bytes, size_t size, uint32_t nr_classes,
		     struct registry_result *result)
{
	uint16_t *ids = calloc(nr_classes < 4096 ? nr_classes + 1 : 1, sizeof(*ids));
	void *copy = malloc(size ? size : 1);
	int error;

	memcpy(copy, bytes, size);
	error = registry_add(registry, copy, size, nr_classes, ids, result);
	free(copy);
	free(ids);
	return error;
}

static void check_lengths(void)
{
	struct registry_result result;
	struct registry *registry;
	unsigned taken = 0;

	if (registry_create(&registry) < 0)
		bail_out("no registry");
	make_rich();
	for (size_t size = 0; size < wire.size; size++)
		taken += add_bytes(registry, wire.bytes, size, 2, &result) != -EBADMSG;
	is(taken, 0, "a message that is cut is refused, wherever the cut is");
	is(add_bytes(registry, wire.bytes, wire.size, 1, &result), -EBADMSG,
	   "bytes after the last class are refused");
	ok(strstr(result.why, "follow the last class"), "with the reason: %s", result.why);
	is(add_bytes(registry, wire.bytes, wire.size, 3, &result), -EBADMSG,
	   "more classes than there are bytes for are refused");
	ok(strstr(result.why, "a class is cut"), "with the reason: %s", result.why);
	is(add_bytes(registry, wire.bytes, wire.size, PROTOCOL_APP_CLASSES_MAX + 1, &result),
	   -EBADMSG, "4097 classes are refused");
	ok(strstr(result.why, "4097 classes"), "with the reason: %s", result.why);
	is(add_bytes(registry, wire.bytes, wire.size, UINT32_MAX, &result), -EBADMSG,
	   "and 2^32 - 1");

	reset();
	class_wire_class(&wire, "p", "e", 1);
	INTEGER(&wire, "f");
	first_field()->nr_values = 1;
	is(add_bytes(registry, wire.bytes, wire.size, 1, &result), -EBADMSG,
	   "labels of an integer are refused");
	ok(strstr(result.why, "no enumeration"), "with the reason: %s", result.why);
	first_field()->nr_values = 0;
	first_field()->enum_name_length = 1;
	is(add_bytes(registry, wire.bytes, wire.size, 1, &result), -EBADMSG,
	   "and so is the name of its enumeration");
	is(registry_count(registry), 0, "nothing of all these was added");
	registry_destroy(registry);
}

/* Not a search, which is the fuzzer's: each byte of a message, some wrong values. */
static void check_mutations(void)
{
	static const uint8_t values[] = { 0, 1, 3, 0x7f, 0x80, 0xff };
	struct registry_result result;
	struct registry *registry;
	unsigned strange = 0;

	if (registry_create(&registry) < 0)
		bail_out("no registry");
	make_rich();
	for (size_t at = 0; at < wire.size; at++) {
		uint8_t kept = wire.bytes[at];

		for (unsigned i = 0; i < sizeof(values); i++) {
			int error;

			wire.bytes[at] = values[i];
			error = add_bytes(registry, wire.bytes, wire.size, 2, &result);
			strange += error != 0 && error != -EBADMSG;
			strange += (error != 0 || result.refused) && !*result.why;
		}
		wire.bytes[at] = kept;
	}
	is(strange, 0, "any byte may be wrong, and a refusal has its reason");
	registry_destroy(registry);
}

/* ---- classes that are right --------------------------------------------------- */

static void check_content(void)
{
	const struct registry_class *event_class;
	struct registry_result result;
	struct registry *registry;
	uint16_t ids[2];

	if (registry_create(&registry) < 0)
		bail_out("no registry");
	make_rich();
	is(add(registry, ids, &result), 0, "two classes are taken");
	ok(result.refused == 0 && ids[0] == 0 && ids[1] == 1, "and have the first ids");
	event_class = registry_get(registry, 0);
	is(event_class->id, 0, "a class knows its id");
	is_string(event_class->provider, "shop", "and its provider");
	is_string(event_class->name, "order", "and its name");
	is_string(event_class->full_name, "shop:order", "and both");
	is(event_class->loglevel, LTTNGMAP_LOGLEVEL_DEBUG_LINE, "and its level");
	is(event_class->nr_fields, 4, "and its fields");
	is_string(event_class->fields[1].name, "customer", "with their names");
	ok(event_class->fields[1].base == 0, "what a string does not use is 0");
	is(event_class->fields[2].nr_values, 2, "an enumeration has its values");
	is_string(event_class->fields[2].enum_name, "shop_state", "and its name");
	is_string(event_class->fields[2].values[1].label, "closed \xe2\x82\xac", "with labels");
	ok(event_class->fields[2].values[0].first == -1 &&
		   event_class->fields[2].values[1].last == 5,
	   "and ranges");
	ok(event_class->fields[3].size == 8 && event_class->fields[3].base == 16,
	   "what follows it is right");
	ok(registry_get(registry, 1) && !registry_get(registry, 2) &&
		   !registry_get(registry, NO_ID),
	   "there is no class without an id");
	registry_destroy(registry);
}

static void check_same(void)
{
	struct registry_result result;
	struct registry *registry;
	uint16_t ids[8];

	if (registry_create(&registry) < 0)
		bail_out("no registry");
	reset();
	class_wire_class(&wire, "p", "e", 0);
	class_wire_class(&wire, "p", "e", 0);
	class_wire_class(&wire, "p", "e", 1);
	INTEGER(&wire, "f");
	class_wire_class(&wire, "p", "e", 1);
	class_wire_field(&wire, LTTNGMAP_FIELD_INTEGER, 4, 0, 16, 0, "f");
	/* The count of an integer means nothing, whatever it is. */
	class_wire_class(&wire, "p", "e", 1);
	class_wire_field(&wire, LTTNGMAP_FIELD_INTEGER, 4, 0, 16, 99, "f");
	/* The same bytes of names, cut elsewhere. */
	class_wire_class(&wire, "pe", "x", 0);
	class_wire_class(&wire, "p", "ex", 0);
	class_wire_class(&wire, "p", "e", 0);
	is(add(registry, ids, &result), 0, "classes that are alike");
	ok(ids[0] == 0 && ids[1] == 0 && ids[7] == 0, "the same class has the same id");
	ok(ids[2] == 1, "the same name with a field is another class");
	ok(ids[3] == 2 && ids[4] == 2, "what means nothing makes no difference");
	ok(ids[5] == 3 && ids[6] == 4, "where a name ends does");
	is(add(registry, ids, &result), 0, "another process registers them");
	ok(ids[0] == 0 && ids[4] == 2 && ids[6] == 4, "and gets the same ids");
	is(registry_count(registry), 5, "no more were given out");

	reset();
	class_wire_class(&wire, "p", "e", 0);
	first_class()->loglevel = LTTNGMAP_LOGLEVEL_ERR;
	is(add(registry, ids, &result), 0, "the same class with another log level");
	is(ids[0], 5, "is another class");
	registry_destroy(registry);
	registry_destroy(NULL);
}

static void check_no_ids_left(void)
{
	struct registry_result result = { .refused = 0 };
	struct registry *registry;
	uint16_t ids[PROTOCOL_APP_CLASSES_MAX];
	char name[16];
	unsigned wrong = 0;

	if (registry_create(&registry) < 0)
		bail_out("no registry");
	for (unsigned i = 0; i < REGISTRY_CLASSES_MAX;) {
		unsigned before = i;

		reset();
		for (; i < REGISTRY_CLASSES_MAX && i < before + 4096; i++) {
			snprintf(name, sizeof(name), "e%u", i);
			class_wire_class(&wire, "p", name, 0);
		}
		wrong += add(registry, ids, &result) != 0 || result.refused || ids[0] != before;
	}
	is(wrong, 0, "65535 classes have their ids");
	is(registry_get(registry, REGISTRY_CLASSES_MAX - 1)->id, 65534, "the last is 65534");

	reset();
	class_wire_class(&wire, "p", "e7", 0);
	class_wire_class(&wire, "p", "too_many", 0);
	class_wire_class(&wire, "p", "even_more", 0);
	is(add(registry, ids, &result), 0, "a message with more");
	ok(ids[0] == 7 && ids[1] == NO_ID && ids[2] == NO_ID, "known ones go on, new ones do not");
	is(result.refused, 2, "they are counted in the message");
	is(registry_overflows(registry), 2, "and in all");
	ok(strstr(result.why, "p:too_many") && strstr(result.why, "65535"), "with the reason: %s",
	   result.why);
	registry_destroy(registry);
}

static void check_removed(void)
{
	struct registry_result result = { .refused = 0 };
	struct registry_room left, taken, room = { 2, UINT64_MAX };
	struct registry *registry;
	uint16_t ids[3];

	if (registry_create(&registry) < 0)
		bail_out("no registry");
	left = registry_room(registry);
	reset();
	class_wire_class(&wire, "p", "a", 0);
	class_wire_class(&wire, "p", "b", 0);
	class_wire_class(&wire, "p", "c", 0);
	is(registry_add_within(registry, 1000, &room, wire.bytes, wire.size, 3, ids, &result), 0,
	   "three classes, where two may be");
	ok(ids[2] == NO_ID && result.taken.ids == 2 && result.added[0] == 0 && result.added[1] == 1,
	   "two are added, the first two");
	is(registry_get(registry, 0)->user, 1000, "for that user");
	taken = registry_remove(registry, 0);
	ok(taken.ids == 1 && taken.bytes > 0, "one is removed");
	ok(!registry_get(registry, 0) && registry_get(registry, 1), "that one, and no other");
	is(registry_room(registry).ids, left.ids - 1, "its id is there again");
	is(registry_remove(registry, 0).ids, 0, "it is not removed twice");
	is(add(registry, ids, &result), 0, "the three again");
	ok(ids[0] == 0 && ids[1] == 1 && ids[2] == 2 && result.taken.ids == 2 &&
		   result.added[0] == 0 && result.added[1] == 2,
	   "the lowest free ids are given out, a class that is known keeps its own");
	registry_remove(registry, 1);
	reset();
	class_wire_class(&wire, "q", "other", 0);
	is(add(registry, ids, &result), 0, "another class");
	ok(ids[0] == 1 && strcmp(registry_get(registry, 1)->full_name, "q:other") == 0,
	   "has the id that was free");
	is(registry_charge(registry, 1, 7).ids, 1, "it is charged to somebody else");
	is(registry_get(registry, 1)->user, 7, "as it says");
	for (uint16_t id = 0; id < 3; id++)
		registry_remove(registry, id);
	ok(registry_room(registry).ids == left.ids && registry_room(registry).bytes == left.bytes,
	   "when all are removed, all room is there again");
	registry_destroy(registry);
}

static void check_restored(void)
{
	struct registry_room taken;
	struct registry *registry;
	uint16_t id;
	struct registry_result result;

	if (registry_create(&registry) < 0)
		bail_out("no registry");
	reset();
	class_wire_class(&wire, "p", "a", 0);
	is(registry_restore(registry, 7, 1000, wire.bytes, wire.size, &taken), 0, "a saved class");
	ok(taken.ids == 1 && taken.bytes > 0 && !registry_get(registry, 6), "no other is there");
	is(registry_restore(registry, 8, 1000, wire.bytes, wire.size, &taken), -EBADMSG,
	   "the same with another id");
	is(add(registry, &id, &result), 0, "a program has it");
	is(id, 7, "it has its id");
	reset();
	class_wire_class(&wire, "p", "b", 0);
	is(registry_restore(registry, 7, 1000, wire.bytes, wire.size, &taken), -EBADMSG,
	   "another one with that id");
	is(registry_restore(registry, NO_ID, 1000, wire.bytes, wire.size, &taken), -EBADMSG,
	   "an id that is none");
	is(registry_restore(registry, 9, 1000, wire.bytes, wire.size - 1, &taken), -EBADMSG,
	   "one that is cut");
	is(registry_restore(registry, REGISTRY_CLASSES_MAX - 1, 0, wire.bytes, wire.size, &taken),
	   0, "the last id");
	is(add(registry, &id, &result), 0, "a program has that");
	is(id, REGISTRY_CLASSES_MAX - 1, "it has its id, too");
	registry_destroy(registry);
}

/* Some 4000 classes of 64 KiB are more than is kept for all processes. */
static void check_memory(void)
{
	struct registry_result result = { .refused = 0 };
	struct registry *registry;
	uint16_t ids[1];
	char label[256], name[16];
	unsigned classes = 0;

	if (registry_create(&registry) < 0)
		bail_out("no registry");
	long_text(label, 255);
	for (; result.refused == 0 && classes < 4096; classes++) {
		reset();
		snprintf(name, sizeof(name), "e%u", classes);
		class_wire_class(&wire, "p", name, 1);
		class_wire_enum(&wire, 4, 0, "f", "n", 230);
		for (unsigned i = 0; i < 230; i++)
			class_wire_value(&wire, label, i, i);
		if (add(registry, ids, &result) != 0)
			bail_out("a large class: %s", result.why);
	}
	ok(classes > 1000 && classes < 4096, "large classes are taken up to a bound (%u)", classes);
	ok(strstr(result.why, "memory for event classes"), "with the reason: %s", result.why);
	reset();
	class_wire_class(&wire, "p", "small", 0);
	is(add(registry, ids, &result), 0, "after that");
	ok(ids[0] != NO_ID, "a small one still fits");
	registry_destroy(registry);
}

int main(void)
{
	rcu_register_thread();
	check_content();
	check_same();
	check_refused();
	check_lengths();
	check_mutations();
	check_no_ids_left();
	check_removed();
	check_restored();
	check_memory();
	rcu_unregister_thread();
	return done_testing();
}
