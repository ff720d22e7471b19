/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * tracepoint.h - typed events in a program, defined and called in one place.
 *
 * This is a whole program (cc order.c -llttngmap; the same text is C++11):
 *
 *   #include <stdint.h>
 *   #include <lttngmap/tracepoint.h>
 *
 *   LTTNGMAP_ENUM(shop_state, { "open", 0, 0 }, { "closed", 1, 5 });
 *
 *   LTTNGMAP_TRACEPOINT(shop, order, LTTNGMAP_LOGLEVEL_INFO,
 *   	(integer, int32_t, id),
 *   	(string, customer),
 *   	(sequence, uint32_t, items),
 *   	(enumeration, shop_state, int, state));
 *
 *   int main(void)
 *   {
 *   	uint32_t items[] = { 4711, 4712 };
 *
 *   	lttngmap_tracepoint(shop, order, 42, "Ada", items, 2, 0);
 *   	return 0;
 *   }
 *
 * lttngmap record -- ./order shows the event as shop:order.
 *
 * Fields
 * ------
 * Up to 16 a tracepoint, or none. Each takes one argument of the call, a
 * sequence two: where its elements are, and how many they are.
 *
 *   (integer, TYPE, NAME)            any integer type, shown in decimal
 *   (hex, TYPE, NAME)                shown in hexadecimal; also: octal, binary
 *   (network, TYPE, NAME)            the value is in network byte order already
 *                                    (as htonl() makes it); also: network_hex
 *   (pointer, NAME)                  an address, shown in hexadecimal
 *   (floating, TYPE, NAME)           float or double
 *   (enumeration, ENUM, TYPE, NAME)  an integer with the names of LTTNGMAP_ENUM
 *   (string, NAME)                   const char *, ends in a NUL
 *   (text, NAME, LENGTH)             const char *, LENGTH bytes: a char array,
 *                                    shown up to its first NUL
 *   (text_sequence, NAME)            const char *, size_t: text of that length
 *   (array, TYPE, NAME, LENGTH)      const TYPE *, LENGTH elements; also:
 *                                    array_hex, array_network, array_network_hex
 *   (sequence, TYPE, NAME)           const TYPE *, size_t; also: sequence_hex,
 *                                    sequence_network, sequence_network_hex
 *
 * All names are C identifiers and not those of macros; TYPE is a type without
 * a comma in its name; LENGTH is a constant above 0.
 *
 * What is written
 * ---------------
 * An event may be as long as the smallest sub-buffer of the channels in which
 * it is on, less 144 bytes, or less 272 where the channel has contexts. What does
 * not fit is cut. The fields that have no size of their own (string, sequence,
 * text_sequence) take what they need in their order, and the last ones are
 * cut first. Fields of a fixed size are always whole; if they do not fit in
 * LTTNGMAP_RECORD_MAX bytes, the tracepoint does not compile. A string is cut
 * at its end and stays a string; a sequence loses its last elements, and its
 * length says how many are there.
 *
 * A string or sequence may change while it is written: then either content,
 * or a mix, is in the trace, and the rest of the event is right all the same.
 *
 * A NULL string is written as "(null)", a NULL sequence as an empty one, a
 * NULL array or text as zeros. A length above SIZE_MAX / 2, that is a
 * negative number, counts as 0.
 *
 * Where it may stand
 * ------------------
 * LTTNGMAP_TRACEPOINT and LTTNGMAP_ENUM stand at file or namespace scope, in
 * a source file or in a header that many of them include: they define only
 * static objects, and what a source file does not call costs it nothing.
 * lttngmap_tracepoint is a statement for any function of that file, in C for
 * any that is not `inline` without being `static`. It may run in any thread,
 * in constructors, in signal handlers, and in plugins until dlclose(). It
 * keeps errno and calls no malloc. It waits for no lock, unless events may
 * block (LTTNGMAP_ALLOW_BLOCKING): a thread without restartable sequences
 * takes a ring whose lock is free, or counts the event as lost. The first
 * event of a forked child, or in a channel, may wait for the daemon: 100 ms at
 * most, unless events may block, or LTTNGMAP_REGISTER_TIMEOUT is set for the
 * child. Its use of the stack is the event's size, 4 KiB at most, and about
 * 200 bytes, not counting the dynamic linker, which may have to look for
 * memcpy() once. A longer event is laid out in memory of liblttngmap's, which
 * is kept; it is mapped when an event is longer than those before, or when
 * more threads than before write such events at once.
 *
 * A module's events end with its destructors. A library that is linked with
 * -z nodelete, and so is never unloaded, may define LTTNGMAP_NEVER_UNLOADED
 * before it includes this header: its events go on to the end of the process.
 *
 * While the event is off, its arguments are not evaluated and it costs a load
 * and a branch that is not taken.
 */
#ifndef LTTNGMAP_TRACEPOINT_H
#define LTTNGMAP_TRACEPOINT_H

#include <stddef.h>
#include <stdint.h>

#include <lttngmap/abi.h>
#include <lttngmap/event-class.h>

/*
 * LTTNGMAP_TRACEPOINT(provider, name, loglevel, fields...);
 *
 * Define the event provider:name. The level is one of enum lttngmap_loglevel.
 */
#define LTTNGMAP_TRACEPOINT(provider, name, ...)                                                   \
	LTTNGMAP_DEFINE_(provider, name, LTTNGMAP_FIRST_(__VA_ARGS__, ~),                          \
			 LTTNGMAP_EACH_(DESCRIBE, __VA_ARGS__))                                    \
	LTTNGMAP_DEFINE_EMIT_(                                                                     \
		provider, name, LTTNGMAP_EACH_(PARAMETER, __VA_ARGS__),                            \
		LTTNGMAP_EACH_(SIZE, __VA_ARGS__), LTTNGMAP_EACH_(VARIES, __VA_ARGS__),            \
		LTTNGMAP_EACH_(CHECK, __VA_ARGS__) LTTNGMAP_EACH_(QUICK, __VA_ARGS__),             \
		LTTNGMAP_EACH_(BOUND, __VA_ARGS__), LTTNGMAP_EACH_(PACK, __VA_ARGS__))             \
	LTTNGMAP_CHECK_(sizeof(#provider ":" #name) - 1 <= LTTNGMAP_NAME_MAX,                      \
			"the name of this tracepoint is too long")

/*
 * LTTNGMAP_ENUM(name, { label, first, last }...);
 *
 * Name the values first..last, both included, for enumeration fields. Where
 * ranges overlap, a value has several labels.
 */
#define LTTNGMAP_ENUM(name, ...)                                                                   \
	static const struct lttngmap_enum_value lttngmap_enum_values_##name[] LTTNGMAP_UNUSED_ = { \
		__VA_ARGS__                                                                        \
	};                                                                                         \
	static const struct lttngmap_enum lttngmap_enum_##name LTTNGMAP_UNUSED_ = {                \
		#name, lttngmap_enum_values_##name,                                                \
		sizeof(lttngmap_enum_values_##name) / sizeof(lttngmap_enum_values_##name[0])       \
	}

/*
 * lttngmap_tracepoint(provider, name, arguments...);
 *
 * Emit the event, if it is on. The arguments are those of the fields, in
 * order; the compiler checks and converts them as those of a function.
 *
 * The argument added at the end is that function's last parameter, the
 * event's address if it is not the call's: so the list is never empty, which
 * C99 forbids.
 */
#define lttngmap_tracepoint(provider, ...) LTTNGMAP_CALL_(provider, __VA_ARGS__, 0)

/*
 * lttngmap_tracepoint_at(ip, provider, name, arguments...);
 *
 * The same for a wrapper of another function: the event is where `ip` says,
 * for instance __builtin_return_address(0), and not in the wrapper.
 */
#define lttngmap_tracepoint_at(ip, provider, ...) LTTNGMAP_CALL_(provider, __VA_ARGS__, ip)

/*
 * if (lttngmap_tracepoint_enabled(provider, name)) ...
 *
 * True while some session takes the event: for work that only prepares its
 * arguments. Costs what a disabled tracepoint costs.
 */
#define lttngmap_tracepoint_enabled(provider, name)                                                \
	(__builtin_expect(lttngmap_is_on_(&lttngmap_tracepoint_##provider##__##name), 0))

/* ---- from here on: how it is done; names that end in _ are private ------------ */

/* To clang-format, macros that make declarations are expressions. */
/* clang-format off */

#define LTTNGMAP_UNUSED_ __attribute__((unused))

#ifdef __cplusplus
#define LTTNGMAP_CHECK_(condition, text) static_assert(condition, text)
#else
#define LTTNGMAP_CHECK_(condition, text) __extension__ _Static_assert(condition, text)
#endif

#define LTTNGMAP_FIELDS_SIZE_MAX_ (LTTNGMAP_RECORD_MAX - LTTNGMAP_RECORD_HEADER_SIZE)

#define LTTNGMAP_CALL_(provider, name, ...)                                                        \
	do {                                                                                       \
		if (lttngmap_tracepoint_enabled(provider, name))                                   \
			lttngmap_emit_##provider##__##name(__VA_ARGS__);                           \
	} while (0)

/*
 * Registration data of an event. The list of a module's tracepoints is a section of pointers, and a
 * pointer is in it only if this source file uses the tracepoint: the class refers to the pointer,
 * and nothing else keeps any of them. That holds for the compiler, for link-time optimisation and
 * for any --gc-sections.
 */
struct lttngmap_anchored_class_ {
	struct lttngmap_event_class event_class;
	struct lttngmap_tracepoint *const *anchor;
};

/* The three refer to each other, so that one has to be declared ahead. */
#ifdef __cplusplus
#define LTTNGMAP_DECLARE_AHEAD_(declaration) namespace { extern declaration; }
#define LTTNGMAP_DEFINE_BELATED_(...) namespace { __VA_ARGS__; }
#else
#define LTTNGMAP_DECLARE_AHEAD_(declaration) static declaration;
#define LTTNGMAP_DEFINE_BELATED_(...) static __VA_ARGS__;
#endif

#define LTTNGMAP_DEFINE_(provider, name, level, fields)                                            \
	LTTNGMAP_DECLARE_AHEAD_(struct lttngmap_tracepoint                                         \
				lttngmap_tracepoint_##provider##__##name)                          \
	static struct lttngmap_tracepoint *const lttngmap_pointer_##provider##__##name             \
		__attribute__((unused, section("lttngmap_tracepoints"))) =                         \
			&lttngmap_tracepoint_##provider##__##name;                                 \
	static const struct lttngmap_field lttngmap_fields_##provider##__##name[]                  \
		LTTNGMAP_UNUSED_ = { fields { NULL, NULL, 0, 0, 0, 0, 0 } };                       \
	static const struct lttngmap_anchored_class_ lttngmap_class_##provider##__##name           \
		LTTNGMAP_UNUSED_ = {                                                               \
			{ sizeof(struct lttngmap_event_class),                                     \
			  sizeof(lttngmap_fields_##provider##__##name) /                           \
				  sizeof(struct lttngmap_field) - 1,                               \
			  (uint16_t)(level), #provider, #name,                                     \
			  lttngmap_fields_##provider##__##name },                                  \
			&lttngmap_pointer_##provider##__##name                                     \
		};                                                                                 \
	LTTNGMAP_DEFINE_BELATED_(struct lttngmap_tracepoint                                        \
		lttngmap_tracepoint_##provider##__##name LTTNGMAP_UNUSED_ = {                      \
			&lttngmap_off_, &lttngmap_class_##provider##__##name.event_class, 0, 0     \
		})

/*
 * The function of a tracepoint that is on: lay the fields out on the stack,
 * one after another, and pass them on. `size` is what the fields take at
 * least. Strings and sequences that take little more are copied in one pass
 * (`quick`).
 */
#define LTTNGMAP_DEFINE_EMIT_(provider, name, parameters, size, varies, quick, bound, pack)        \
	static __attribute__((noinline, unused)) void lttngmap_emit_##provider##__##name(          \
		parameters const void *lttngmap_ip)                                                \
	{                                                                                          \
		enum { lttngmap_size = 0 size, lttngmap_varies = (0 varies) != 0 };                \
		size_t lttngmap_left = LTTNGMAP_QUICK_SIZE_;                                       \
		uint64_t lttngmap_words[LTTNGMAP_WORDS_(lttngmap_varies, lttngmap_size)];          \
		unsigned char *lttngmap_begin = (unsigned char *)lttngmap_words;                   \
		unsigned char *lttngmap_at = lttngmap_begin;                                       \
                                                                                                   \
		LTTNGMAP_CHECK_((0 size) <= LTTNGMAP_FIELDS_SIZE_MAX_,                             \
				"the fields of this tracepoint do not fit in a record");           \
		(void)lttngmap_left;                                                               \
		if (lttngmap_size < 8)                                                             \
			lttngmap_words[0] = 0;                                                     \
		lttngmap_words[LTTNGMAP_WORDS_(lttngmap_varies, lttngmap_size) - 1] = 0;           \
		do {                                                                               \
			quick                                                                      \
		} while (0);                                                                       \
		if (lttngmap_varies == 1 && __builtin_expect(!lttngmap_at, 0)) {                   \
			LTTNGMAP_LAY_LONG_(                                                        \
				&lttngmap_tracepoint_##provider##__##name,                         \
				lttngmap_ip ? lttngmap_ip : __builtin_return_address(0), bound,    \
				pack)                                                              \
		}                                                                                  \
		if (lttngmap_varies == 1)                                                          \
			__builtin_memset(lttngmap_at, 0, 16);                                      \
		lttngmap_event_write(&lttngmap_tracepoint_##provider##__##name, lttngmap_begin,    \
				     (size_t)(lttngmap_at - lttngmap_begin),                       \
				     lttngmap_ip ? lttngmap_ip : __builtin_return_address(0));     \
	}

/*
 * Fields that take more than QUICK lets them: all their needs are found first (`bound`), so that
 * the stack is used for what is there and no more. What is too long for the stack goes into memory
 * of liblttngmap's; if it has none, the event is cut to what the stack may have.
 */
#define LTTNGMAP_LAY_LONG_(tracepoint, ip, bound, pack)                                            \
	size_t lttngmap_most = LTTNGMAP_FIELDS_SIZE_MAX_, lttngmap_room, lttngmap_cut;             \
	int lttngmap_asked = 0;                                                                    \
                                                                                                   \
	for (;;) {                                                                                 \
		lttngmap_room = lttngmap_most - lttngmap_size;                                     \
		lttngmap_cut = 0;                                                                  \
		bound                                                                              \
		if (lttngmap_cut && !lttngmap_asked) {                                             \
			lttngmap_asked = 1;                                                        \
			lttngmap_most = lttngmap_event_room(tracepoint);                           \
			if (lttngmap_most <= lttngmap_size)                                        \
				lttngmap_most = lttngmap_size;                                     \
			continue;                                                                  \
		}                                                                                  \
		if (lttngmap_most <= LTTNGMAP_FIELDS_SIZE_MAX_)                                    \
			lttngmap_begin = (unsigned char *)__builtin_alloca(                        \
				lttngmap_most - lttngmap_room + 16);                               \
		else                                                                               \
			lttngmap_begin = lttngmap_event_reserve(lttngmap_most - lttngmap_room);    \
		if (!lttngmap_begin) {                                                             \
			lttngmap_most = LTTNGMAP_FIELDS_SIZE_MAX_;                                 \
			continue;                                                                  \
		}                                                                                  \
		lttngmap_at = lttngmap_begin;                                                      \
		pack                                                                               \
		break;                                                                             \
	}                                                                                          \
	if (lttngmap_cut || lttngmap_most != LTTNGMAP_FIELDS_SIZE_MAX_) {                          \
		__builtin_memset(lttngmap_at, 0, 16);                                              \
		lttngmap_event_write_long(tracepoint, lttngmap_begin,                              \
					  (size_t)(lttngmap_at - lttngmap_begin), ip,              \
					  lttngmap_cut != 0);                                      \
		return;                                                                            \
	}

/* How much more than their least size fields may take, all together, for one pass. */
#define LTTNGMAP_QUICK_SIZE_ 64

/* liblttngmap reads whole words, and two at least: the buffer ends in one, and in zeros. */
#define LTTNGMAP_WORDS_(varies, size)                                                              \
	((varies) == 1 ? ((size) + LTTNGMAP_QUICK_SIZE_ + 16 + 7) / 8 :                            \
	 (size) <= 8   ? 2 :                                                                       \
			 ((size) + 7) / 8)

/*
 * A kind of field, in terms of its shape: how it is passed and packed. All
 * have the same arguments, which are also those of a descriptor:
 *
 *   shape, C type, name, length, kind, enumeration, flags, base
 */
#define LTTNGMAP_KIND_(kind, ...) LTTNGMAP_KIND_##kind(__VA_ARGS__)
#define LTTNGMAP_KIND_integer(T, name)                                                             \
	VALUE, T, name, 0, LTTNGMAP_FIELD_INTEGER, NULL, LTTNGMAP_SIGNED_(T), 10
#define LTTNGMAP_KIND_hex(T, name)                                                                 \
	VALUE, T, name, 0, LTTNGMAP_FIELD_INTEGER, NULL, LTTNGMAP_SIGNED_(T), 16
#define LTTNGMAP_KIND_octal(T, name)                                                               \
	VALUE, T, name, 0, LTTNGMAP_FIELD_INTEGER, NULL, LTTNGMAP_SIGNED_(T), 8
#define LTTNGMAP_KIND_binary(T, name)                                                              \
	VALUE, T, name, 0, LTTNGMAP_FIELD_INTEGER, NULL, LTTNGMAP_SIGNED_(T), 2
#define LTTNGMAP_KIND_network(T, name)                                                             \
	VALUE, T, name, 0, LTTNGMAP_FIELD_INTEGER, NULL, LTTNGMAP_NETWORK_(T), 10
#define LTTNGMAP_KIND_network_hex(T, name)                                                         \
	VALUE, T, name, 0, LTTNGMAP_FIELD_INTEGER, NULL, LTTNGMAP_NETWORK_(T), 16
#define LTTNGMAP_KIND_pointer(name)                                                                \
	ADDRESS, uintptr_t, name, 0, LTTNGMAP_FIELD_INTEGER, NULL, 0u, 16
#define LTTNGMAP_KIND_floating(T, name)                                                            \
	FLOATING, T, name, 0, LTTNGMAP_FIELD_FLOAT, NULL, 0u, 10
#define LTTNGMAP_KIND_enumeration(enumeration, T, name)                                            \
	VALUE, T, name, 0, LTTNGMAP_FIELD_ENUM, &lttngmap_enum_##enumeration,                      \
		LTTNGMAP_SIGNED_(T), 10
#define LTTNGMAP_KIND_string(name)                                                                 \
	STRING, char, name, 0, LTTNGMAP_FIELD_STRING, NULL, 0u, 10
#define LTTNGMAP_KIND_text(name, length)                                                           \
	ARRAY, char, name, length, LTTNGMAP_FIELD_TEXT, NULL, 0u, 10
#define LTTNGMAP_KIND_text_sequence(name)                                                          \
	SEQUENCE, char, name, 0, LTTNGMAP_FIELD_TEXT_SEQUENCE, NULL, 0u, 10
#define LTTNGMAP_KIND_array(T, name, length)                                                       \
	ARRAY, T, name, length, LTTNGMAP_FIELD_ARRAY, NULL, LTTNGMAP_SIGNED_(T), 10
#define LTTNGMAP_KIND_array_hex(T, name, length)                                                   \
	ARRAY, T, name, length, LTTNGMAP_FIELD_ARRAY, NULL, LTTNGMAP_SIGNED_(T), 16
#define LTTNGMAP_KIND_array_network(T, name, length)                                               \
	ARRAY, T, name, length, LTTNGMAP_FIELD_ARRAY, NULL, LTTNGMAP_NETWORK_(T), 10
#define LTTNGMAP_KIND_array_network_hex(T, name, length)                                           \
	ARRAY, T, name, length, LTTNGMAP_FIELD_ARRAY, NULL, LTTNGMAP_NETWORK_(T), 16
#define LTTNGMAP_KIND_sequence(T, name)                                                            \
	SEQUENCE, T, name, 0, LTTNGMAP_FIELD_SEQUENCE, NULL, LTTNGMAP_SIGNED_(T), 10
#define LTTNGMAP_KIND_sequence_hex(T, name)                                                        \
	SEQUENCE, T, name, 0, LTTNGMAP_FIELD_SEQUENCE, NULL, LTTNGMAP_SIGNED_(T), 16
#define LTTNGMAP_KIND_sequence_network(T, name)                                                    \
	SEQUENCE, T, name, 0, LTTNGMAP_FIELD_SEQUENCE, NULL, LTTNGMAP_NETWORK_(T), 10
#define LTTNGMAP_KIND_sequence_network_hex(T, name)                                                \
	SEQUENCE, T, name, 0, LTTNGMAP_FIELD_SEQUENCE, NULL, LTTNGMAP_NETWORK_(T), 16

#define LTTNGMAP_SIGNED_(T) ((T)-1 < (T)1 ? (unsigned)LTTNGMAP_FIELD_SIGNED : 0u)
#define LTTNGMAP_NETWORK_(T) (LTTNGMAP_SIGNED_(T) | (unsigned)LTTNGMAP_FIELD_BIG_ENDIAN)

/* DESCRIBE: the field's descriptor, the same for all shapes. */
#define LTTNGMAP_DESCRIBE_(T, name, length, kind, enumeration, flags, base)                        \
	{ #name, enumeration, length, (uint8_t)kind, (uint8_t)sizeof(T), (uint8_t)(flags), base },
#define LTTNGMAP_DESCRIBE_VALUE(...) LTTNGMAP_DESCRIBE_(__VA_ARGS__)
#define LTTNGMAP_DESCRIBE_ADDRESS(...) LTTNGMAP_DESCRIBE_(__VA_ARGS__)
#define LTTNGMAP_DESCRIBE_FLOATING(...) LTTNGMAP_DESCRIBE_(__VA_ARGS__)
#define LTTNGMAP_DESCRIBE_STRING(...) LTTNGMAP_DESCRIBE_(__VA_ARGS__)
#define LTTNGMAP_DESCRIBE_ARRAY(...) LTTNGMAP_DESCRIBE_(__VA_ARGS__)
#define LTTNGMAP_DESCRIBE_SEQUENCE(...) LTTNGMAP_DESCRIBE_(__VA_ARGS__)

/* PARAMETER: what the function of the tracepoint takes. */
#define LTTNGMAP_PARAMETER_VALUE(T, name, ...) T lttngmap_arg_##name,
#define LTTNGMAP_PARAMETER_ADDRESS(T, name, ...) const void *lttngmap_arg_##name,
#define LTTNGMAP_PARAMETER_FLOATING(T, name, ...) T lttngmap_arg_##name,
#define LTTNGMAP_PARAMETER_STRING(T, name, ...) const char *lttngmap_arg_##name,
#define LTTNGMAP_PARAMETER_ARRAY(T, name, ...) const T *lttngmap_arg_##name,
#define LTTNGMAP_PARAMETER_SEQUENCE(T, name, ...)                                                  \
	const T *lttngmap_arg_##name, size_t lttngmap_length_##name,

/* SIZE: the least that the field takes in the record. */
#define LTTNGMAP_SIZE_VALUE(T, name, ...) +sizeof(T)
#define LTTNGMAP_SIZE_ADDRESS(T, name, ...) +sizeof(T)
#define LTTNGMAP_SIZE_FLOATING(T, name, ...) +sizeof(T)
#define LTTNGMAP_SIZE_STRING(T, name, ...) +1
#define LTTNGMAP_SIZE_ARRAY(T, name, length, ...) +(length) * sizeof(T)
#define LTTNGMAP_SIZE_SEQUENCE(T, name, ...) +sizeof(uint32_t)

/* VARIES: whether it may take more. */
#define LTTNGMAP_VARIES_VALUE(...)
#define LTTNGMAP_VARIES_ADDRESS(...)
#define LTTNGMAP_VARIES_FLOATING(...)
#define LTTNGMAP_VARIES_STRING(...) +1
#define LTTNGMAP_VARIES_ARRAY(...)
#define LTTNGMAP_VARIES_SEQUENCE(...) +1

/* CHECK: what would go wrong later. */
#ifdef __cplusplus
#define LTTNGMAP_IS_FLOATING_(T) ((T)1.5 != (T)1)
#else /* which has no constant expressions of floats */
#define LTTNGMAP_IS_FLOATING_(T)                                                                   \
	(__builtin_types_compatible_p(T, float) || __builtin_types_compatible_p(T, double) ||      \
	 __builtin_types_compatible_p(T, long double))
#endif
#define LTTNGMAP_CHECK_VALUE(T, name, ...)                                                         \
	LTTNGMAP_CHECK_(!LTTNGMAP_IS_FLOATING_(T), "field " #name " is not of an integer type");   \
	LTTNGMAP_CHECK_SIZE_(T, name)
#define LTTNGMAP_CHECK_ADDRESS(T, name, ...)
#define LTTNGMAP_CHECK_FLOATING(T, name, ...)                                                      \
	LTTNGMAP_CHECK_(LTTNGMAP_IS_FLOATING_(T) && sizeof(T) <= 8,                                \
			"field " #name " is neither float nor double");
#define LTTNGMAP_CHECK_STRING(T, name, ...)
#define LTTNGMAP_CHECK_ARRAY(T, name, length, ...)                                                 \
	LTTNGMAP_CHECK_VALUE(T, name, ~)                                                           \
	LTTNGMAP_CHECK_((length) > 0, "the length of field " #name " is not above 0");
#define LTTNGMAP_CHECK_SEQUENCE(T, name, ...) LTTNGMAP_CHECK_VALUE(T, name, ~)
#define LTTNGMAP_CHECK_SIZE_(T, name)                                                              \
	LTTNGMAP_CHECK_(sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0,                      \
			"field " #name " is not of 1, 2, 4 or 8 bytes");

/* BOUND: what it takes beyond SIZE, off the room that is left. */
#define LTTNGMAP_BOUND_VALUE(...)
#define LTTNGMAP_BOUND_ADDRESS(...)
#define LTTNGMAP_BOUND_FLOATING(...)
#define LTTNGMAP_BOUND_STRING(T, name, ...)                                                        \
	size_t lttngmap_length_##name = lttngmap_bound_string_(                            \
		&lttngmap_arg_##name, &lttngmap_room, &lttngmap_cut);
#define LTTNGMAP_BOUND_ARRAY(...)
#define LTTNGMAP_BOUND_SEQUENCE(T, name, ...)                                                      \
	size_t lttngmap_bound_##name =                                                             \
		lttngmap_bound_sequence_(lttngmap_arg_##name, lttngmap_length_##name, sizeof(T),   \
					 &lttngmap_room, &lttngmap_cut);

/* PACK: lay it out at lttngmap_at. */
#define LTTNGMAP_PACK_VALUE(T, name, ...)                                                          \
	__builtin_memcpy(lttngmap_at, &lttngmap_arg_##name, sizeof(T));                            \
	lttngmap_at += sizeof(T);
#define LTTNGMAP_PACK_ADDRESS(T, name, ...) LTTNGMAP_PACK_VALUE(T, name, ~)
#define LTTNGMAP_PACK_FLOATING(T, name, ...) LTTNGMAP_PACK_VALUE(T, name, ~)
#define LTTNGMAP_PACK_STRING(T, name, ...)                                                         \
	lttngmap_at = lttngmap_pack_string_(lttngmap_at, lttngmap_arg_##name,                      \
					    lttngmap_length_##name);
#define LTTNGMAP_PACK_ARRAY(T, name, length, ...)                                                  \
	lttngmap_at = lttngmap_pack_array_(lttngmap_at, lttngmap_arg_##name,                       \
					   (length) * sizeof(T));
#define LTTNGMAP_PACK_SEQUENCE(T, name, ...)                                                       \
	lttngmap_at = lttngmap_pack_sequence_(lttngmap_at, lttngmap_arg_##name,                    \
					      lttngmap_bound_##name, sizeof(T));

/* QUICK: the same in one pass; lttngmap_at is NULL where that takes too much. */
#define LTTNGMAP_QUICK_VALUE(...) LTTNGMAP_PACK_VALUE(__VA_ARGS__)
#define LTTNGMAP_QUICK_ADDRESS(...) LTTNGMAP_PACK_ADDRESS(__VA_ARGS__)
#define LTTNGMAP_QUICK_FLOATING(...) LTTNGMAP_PACK_FLOATING(__VA_ARGS__)
#define LTTNGMAP_QUICK_ARRAY(...) LTTNGMAP_PACK_ARRAY(__VA_ARGS__)
#define LTTNGMAP_QUICK_STRING(T, name, ...)                                                        \
	lttngmap_at =                                                                              \
		lttngmap_quick_string_(lttngmap_at, lttngmap_arg_##name, &lttngmap_left);          \
	if (!lttngmap_at)                                                                          \
		break;
#define LTTNGMAP_QUICK_SEQUENCE(T, name, ...)                                                      \
	lttngmap_at = lttngmap_quick_sequence_(lttngmap_at, lttngmap_arg_##name,                   \
					       lttngmap_length_##name, sizeof(T), &lttngmap_left); \
	if (!lttngmap_at)                                                                          \
		break;

/* LTTNGMAP_EACH_(PASS, level, fields...): LTTNGMAP_PASS_SHAPE(...) of each field. */
#define LTTNGMAP_APPLY_(pass, field) LTTNGMAP_APPLY1_(pass, LTTNGMAP_KIND_ field)
#define LTTNGMAP_APPLY1_(pass, ...) LTTNGMAP_APPLY2_(pass, __VA_ARGS__)
#define LTTNGMAP_APPLY2_(pass, shape, ...) LTTNGMAP_##pass##_##shape(__VA_ARGS__)

#define LTTNGMAP_FIRST_(first, ...) first
#define LTTNGMAP_PASTE_(a, b) LTTNGMAP_PASTE1_(a, b)
#define LTTNGMAP_PASTE1_(a, b) a##b
#define LTTNGMAP_COUNT_(...)                                                                       \
	LTTNGMAP_COUNT1_(__VA_ARGS__, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, 16, 15, 14,  \
			 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)
#define LTTNGMAP_COUNT1_(level, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15,  \
			 f16, f17, f18, f19, f20, f21, f22, f23, f24, count, ...)                  \
	count

#define LTTNGMAP_EACH_(pass, ...)                                                                  \
	LTTNGMAP_PASTE_(LTTNGMAP_EACH_, LTTNGMAP_COUNT_(__VA_ARGS__))(pass, __VA_ARGS__)
#define LTTNGMAP_EACH_MANY(...) a_tracepoint_has_no_more_than_16_fields
#define LTTNGMAP_EACH_0(pass, level)
#define LTTNGMAP_EACH_1(pass, level, f) LTTNGMAP_APPLY_(pass, f)
#define LTTNGMAP_EACH_2(pass, level, f, ...)                                                       \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_1(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_3(pass, level, f, ...)                                                       \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_2(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_4(pass, level, f, ...)                                                       \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_3(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_5(pass, level, f, ...)                                                       \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_4(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_6(pass, level, f, ...)                                                       \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_5(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_7(pass, level, f, ...)                                                       \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_6(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_8(pass, level, f, ...)                                                       \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_7(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_9(pass, level, f, ...)                                                       \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_8(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_10(pass, level, f, ...)                                                      \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_9(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_11(pass, level, f, ...)                                                      \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_10(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_12(pass, level, f, ...)                                                      \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_11(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_13(pass, level, f, ...)                                                      \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_12(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_14(pass, level, f, ...)                                                      \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_13(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_15(pass, level, f, ...)                                                      \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_14(pass, level, __VA_ARGS__)
#define LTTNGMAP_EACH_16(pass, level, f, ...)                                                      \
	LTTNGMAP_APPLY_(pass, f) LTTNGMAP_EACH_15(pass, level, __VA_ARGS__)

/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

/* Call liblttngmap through its address, without a stop at the PLT. */
#if defined(__has_attribute)
#if __has_attribute(noplt)
void lttngmap_event_write(const struct lttngmap_tracepoint *tracepoint, const void *fields,
			  size_t size, const void *ip) __attribute__((noplt));
#endif
#endif

/*
 * The module that this source file is linked into, one for all its source
 * files in either language, whoever else is in the process. The linker makes
 * the bounds of the section, if there is a tracepoint in the module.
 */
#define LTTNGMAP_OF_MODULE_ __attribute__((weak, visibility("hidden")))

extern struct lttngmap_tracepoint *const __start_lttngmap_tracepoints[] LTTNGMAP_OF_MODULE_;
extern struct lttngmap_tracepoint *const __stop_lttngmap_tracepoints[] LTTNGMAP_OF_MODULE_;

extern const uint64_t lttngmap_off_ LTTNGMAP_OF_MODULE_;
const uint64_t lttngmap_off_ = 0;

extern struct lttngmap_module lttngmap_module_ LTTNGMAP_OF_MODULE_;
struct lttngmap_module lttngmap_module_ = {
	sizeof(struct lttngmap_module), 0,    __start_lttngmap_tracepoints,
	__stop_lttngmap_tracepoints,    NULL, &lttngmap_off_,
};

/* Source files whose constructor ran; the first and the last one count. */
extern unsigned int lttngmap_module_users_ LTTNGMAP_OF_MODULE_;
unsigned int lttngmap_module_users_ = 0;

#ifdef __cplusplus
}
#endif

/* 101 is the first priority that is ours to use: before other constructors... */
static __attribute__((constructor(101))) void lttngmap_module_enter_(void)
{
	if (lttngmap_module_users_++ == 0 && lttngmap_module_.begin != lttngmap_module_.end)
		lttngmap_module_register(&lttngmap_module_);
}

/* ... and after other destructors. */
#ifndef LTTNGMAP_NEVER_UNLOADED
static __attribute__((destructor(101))) void lttngmap_module_leave_(void)
{
	if (--lttngmap_module_users_ == 0 && lttngmap_module_.begin != lttngmap_module_.end)
		lttngmap_module_unregister(&lttngmap_module_);
}
#endif

/*
 * The length of the string, as far as there is room for it; else *cut is 1. The compiler is
 * kept from knowing what the string is: it would warn of a search beyond the
 * end of a literal that the NUL ends long before.
 */
static inline LTTNGMAP_UNUSED_ size_t lttngmap_bound_string_(const char **string, size_t *room,
							     size_t *cut)
{
	size_t length = *room;
	const char *end;

	if (!*string)
		*string = "(null)";
	__asm__("" : "+r"(*string));
	/* The NUL is not of the room: each string has one byte for it. */
	end = (const char *)__builtin_memchr(*string, 0, length + 1);
	if (end)
		length = (size_t)(end - *string);
	else
		*cut = 1;
	*room -= length;
	return length;
}

/*
 * Each byte of the string is read once, here; the end is that of the copy,
 * for the string may have become shorter since its length was taken.
 */
static inline LTTNGMAP_UNUSED_ unsigned char *
lttngmap_pack_string_(unsigned char *to, const char *string, size_t length)
{
	unsigned char *end;

	__builtin_memcpy(to, string, length);
	__asm__ volatile("" : : : "memory");
	end = (unsigned char *)__builtin_memchr(to, 0, length);
	if (!end)
		end = to + length;
	*end = 0;
	return end + 1;
}

/* Each byte of the string is read once. The compiler does not know the string, as above. */
static inline LTTNGMAP_UNUSED_ unsigned char *
lttngmap_quick_string_(unsigned char *to, const char *string, size_t *left)
{
	const volatile char *from = string ? string : "(null)";
	size_t most = *left, i = 0;

	__asm__("" : "+r"(from));
	/* Four bytes for each look at the room that is left. */
	for (; most - i >= 4; i++) {
		if (!(to[i] = (unsigned char)from[i]))
			goto ended;
		if (i++, !(to[i] = (unsigned char)from[i]))
			goto ended;
		if (i++, !(to[i] = (unsigned char)from[i]))
			goto ended;
		if (i++, !(to[i] = (unsigned char)from[i]))
			goto ended;
	}
	while ((to[i] = (unsigned char)from[i])) {
		if (i++ == most)
			return NULL;
	}
ended:
	*left = most - i;
	return to + i + 1;
}

static inline LTTNGMAP_UNUSED_ size_t lttngmap_bound_sequence_(const void *elements, size_t length,
							       size_t size, size_t *room,
							       size_t *cut)
{
	if (!elements || length > SIZE_MAX / 2)
		length = 0;
	if (length > *room / size) {
		length = *room / size;
		*cut = 1;
	}
	*room -= length * size;
	return length;
}

static inline LTTNGMAP_UNUSED_ unsigned char *
lttngmap_pack_sequence_(unsigned char *to, const void *elements, size_t length, size_t size)
{
	uint32_t written = (uint32_t)length;

	__builtin_memcpy(to, &written, sizeof(written));
	to += sizeof(written);
	if (length)
		__builtin_memcpy(to, elements, length * size);
	return to + length * size;
}

static inline LTTNGMAP_UNUSED_ unsigned char *lttngmap_quick_sequence_(unsigned char *to,
								       const void *elements,
								       size_t length, size_t size,
								       size_t *left)
{
	if (!elements || length > SIZE_MAX / 2)
		length = 0;
	if (length > *left / size)
		return NULL;
	*left -= length * size;
	return lttngmap_pack_sequence_(to, elements, length, size);
}

static inline __attribute__((always_inline, unused)) unsigned char *
lttngmap_pack_array_(unsigned char *to, const void *elements, size_t size)
{
	if (elements)
		__builtin_memcpy(to, elements, size);
	else
		__builtin_memset(to, 0, size);
	return to + size;
}

#endif /* LTTNGMAP_TRACEPOINT_H */
