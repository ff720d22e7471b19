/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * jni.c - liblttngmap-java.so: the tracepoints of Java's logging libraries, which
 * org.lttngmap.agent.Tracepoint calls.
 *
 * Names, fields, types and log level of each event are those of LTTng's agents.
 * The texts are UTF-8, made of Java's UTF-16 on the stack: there is no malloc and
 * nothing of Java's is pinned.
 *
 * Threads: any of Java's.
 */
#include <jni.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LTTNGMAP_NEVER_UNLOADED
#include <lttngmap/tracepoint.h>

/* To clang-format, macros that make declarations are expressions. */
/* clang-format off */
LTTNGMAP_TRACEPOINT(lttng_jul, event, LTTNGMAP_LOGLEVEL_DEBUG_LINE,
		    (string, msg), (string, logger_name), (string, class_name),
		    (string, method_name), (integer, int64_t, long_millis),
		    (integer, int32_t, int_loglevel), (integer, int32_t, int_threadid));

#define LOG4J_FIELDS                                                                               \
	(string, msg), (string, logger_name), (string, class_name), (string, method_name),         \
	(string, filename), (integer, int32_t, line_number), (integer, int64_t, timestamp),        \
	(integer, int32_t, int_loglevel), (string, thread_name)
LTTNGMAP_TRACEPOINT(lttng_log4j, event, LTTNGMAP_LOGLEVEL_DEBUG_LINE, LOG4J_FIELDS);
LTTNGMAP_TRACEPOINT(lttng_log4j2, event, LTTNGMAP_LOGLEVEL_DEBUG_LINE, LOG4J_FIELDS);
/* clang-format on */

/* Bytes of all texts of an event together: what it holds beside its numbers and contexts. */
#define ROOM 3800u
/* Bytes of a text other than the message. */
#define NAME_ROOM 512u
#define UNITS_MAX 256

/* Texts of one event, one behind the other. */
struct texts {
	char bytes[ROOM];
	size_t used;
};

static unsigned encode(uint32_t point, char bytes[4])
{
	if (point < 0x80) {
		bytes[0] = (char)point;
		return 1;
	}
	if (point < 0x800) {
		bytes[0] = (char)(0xc0 | point >> 6);
		bytes[1] = (char)(0x80 | (point & 0x3f));
		return 2;
	}
	if (point < 0x10000) {
		bytes[0] = (char)(0xe0 | point >> 12);
		bytes[1] = (char)(0x80 | (point >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (point & 0x3f));
		return 3;
	}
	bytes[0] = (char)(0xf0 | point >> 18);
	bytes[1] = (char)(0x80 | (point >> 12 & 0x3f));
	bytes[2] = (char)(0x80 | (point >> 6 & 0x3f));
	bytes[3] = (char)(0x80 | (point & 0x3f));
	return 4;
}

/* The code point at units[*i], which is moved behind it. Half a surrogate pair is U+FFFD. */
static uint32_t decode(const jchar *units, jsize nr_units, jsize *i)
{
	uint32_t unit = units[(*i)++];

	if (unit < 0xd800 || unit > 0xdfff)
		return unit;
	if (unit > 0xdbff || *i >= nr_units || units[*i] < 0xdc00 || units[*i] > 0xdfff)
		return 0xfffd;
	return 0x10000 + ((unit - 0xd800) << 10) + (units[(*i)++] - 0xdc00u);
}

/*
 * The string as UTF-8 of up to `room` bytes with its NUL, in `texts`; NULL for null. It is cut
 * between two characters, and at a NUL.
 */
static const char *take(JNIEnv *env, struct texts *texts, jstring string, size_t room)
{
	char *text = texts->bytes + texts->used, bytes[4];
	jsize length, from = 0;
	jchar units[UNITS_MAX];
	size_t size = 0;

	if (!string)
		return NULL;
	if (room > ROOM - texts->used)
		room = ROOM - texts->used;
	length = (*env)->GetStringLength(env, string);
	while (from < length) {
		jsize nr_units = length - from < UNITS_MAX ? length - from : UNITS_MAX, i = 0;

		(*env)->GetStringRegion(env, string, from, nr_units, units);
		/* A pair is left whole for the next time. */
		if (nr_units > 1 && from + nr_units < length &&
		    (units[nr_units - 1] & 0xfc00) == 0xd800)
			nr_units--;
		while (i < nr_units) {
			uint32_t point = decode(units, nr_units, &i);
			unsigned nr_bytes = encode(point, bytes);

			if (point == 0 || size + nr_bytes >= room)
				goto out;
			for (unsigned b = 0; b < nr_bytes; b++)
				text[size++] = bytes[b];
		}
		from += nr_units;
	}
out:
	text[size++] = '\0';
	texts->used += size;
	return text;
}

/* In the order of Tracepoint.java. */
enum event { JUL, LOG4J, LOG4J2 };

JNIEXPORT jlong JNICALL Java_org_lttngmap_agent_Tracepoint_pointer(JNIEnv *env, jclass class,
								   jint event);
JNIEXPORT jobject JNICALL Java_org_lttngmap_agent_Tracepoint_memory(JNIEnv *env, jclass class,
								    jlong address);
JNIEXPORT jboolean JNICALL Java_org_lttngmap_agent_Tracepoint_mayPass(JNIEnv *env, jclass class,
								      jint event, jstring logger,
								      jint level);
JNIEXPORT void JNICALL Java_org_lttngmap_agent_Tracepoint_jul(JNIEnv *env, jclass class,
							      jstring msg, jstring logger,
							      jstring class_name, jstring method,
							      jlong millis, jint level,
							      jint thread);
JNIEXPORT void JNICALL Java_org_lttngmap_agent_Tracepoint_log4j(
	JNIEnv *env, jclass class, jint event, jstring msg, jstring logger, jstring class_name,
	jstring method, jstring file, jint line, jlong timestamp, jint level, jstring thread);

/*
 * Where the pointer to the event's word is. Java reads both itself, for a call costs several times
 * as much; the pointer changes when a daemon is found.
 */
JNIEXPORT jlong JNICALL Java_org_lttngmap_agent_Tracepoint_pointer(JNIEnv *env, jclass class,
								   jint event)
{
	(void)env;
	(void)class;
	switch (event) {
	case JUL:
		return (jlong)(uintptr_t)&lttngmap_tracepoint_lttng_jul__event.word;
	case LOG4J:
		return (jlong)(uintptr_t)&lttngmap_tracepoint_lttng_log4j__event.word;
	default:
		return (jlong)(uintptr_t)&lttngmap_tracepoint_lttng_log4j2__event.word;
	}
}

JNIEXPORT jobject JNICALL Java_org_lttngmap_agent_Tracepoint_memory(JNIEnv *env, jclass class,
								    jlong address)
{
	(void)class;
	return (*env)->NewDirectByteBuffer(env, (void *)(uintptr_t)address, 8);
}

/* A name and a level, the only ones known of an event's fields: all others are empty, or 0. */
JNIEXPORT jboolean JNICALL Java_org_lttngmap_agent_Tracepoint_mayPass(JNIEnv *env, jclass class,
								      jint event, jstring logger,
								      jint level)
{
	static const struct lttngmap_tracepoint *const tracepoints[] = {
		&lttngmap_tracepoint_lttng_jul__event,
		&lttngmap_tracepoint_lttng_log4j__event,
		&lttngmap_tracepoint_lttng_log4j2__event,
	};
	/* Bytes between both, and behind: class, method and time; these, file and line; thread. */
	size_t between = event == JUL ? 1 + 1 + 8 : 1 + 1 + 1 + 4 + 8,
	       behind = event == JUL ? 4 : 1;
	struct lttngmap_known known[2];
	struct texts texts;
	int32_t number = level;
	size_t at;

	(void)class;
	texts.bytes[0] = '\0';
	texts.used = 1;
	if (!take(env, &texts, logger, NAME_ROOM))
		return JNI_TRUE;
	at = texts.used + between;
	known[0] = (struct lttngmap_known){ 1, texts.used };
	known[1] = (struct lttngmap_known){ at, at + sizeof(number) };
	memset(texts.bytes + texts.used, 0, between + sizeof(number) + behind + 16);
	memcpy(texts.bytes + at, &number, sizeof(number));
	return lttngmap_event_may_pass(tracepoints[event], texts.bytes,
				       at + sizeof(number) + behind, known, 2) != 0;
}

JNIEXPORT void JNICALL Java_org_lttngmap_agent_Tracepoint_jul(JNIEnv *env, jclass class,
							      jstring msg, jstring logger,
							      jstring class_name, jstring method,
							      jlong millis, jint level, jint thread)
{
	struct texts texts;
	const char *names[3];

	(void)class;
	if (!lttngmap_tracepoint_enabled(lttng_jul, event))
		return;
	texts.used = 0;
	names[0] = take(env, &texts, logger, NAME_ROOM);
	names[1] = take(env, &texts, class_name, NAME_ROOM);
	names[2] = take(env, &texts, method, NAME_ROOM);
	lttngmap_tracepoint(lttng_jul, event, take(env, &texts, msg, ROOM), names[0], names[1],
			    names[2], millis, level, thread);
}

JNIEXPORT void JNICALL Java_org_lttngmap_agent_Tracepoint_log4j(
	JNIEnv *env, jclass class, jint event, jstring msg, jstring logger, jstring class_name,
	jstring method, jstring file, jint line, jlong timestamp, jint level, jstring thread)
{
	struct texts texts;
	const char *names[5], *message;

	(void)class;
	texts.used = 0;
	names[0] = take(env, &texts, logger, NAME_ROOM);
	names[1] = take(env, &texts, class_name, NAME_ROOM);
	names[2] = take(env, &texts, method, NAME_ROOM);
	names[3] = take(env, &texts, file, NAME_ROOM);
	names[4] = take(env, &texts, thread, NAME_ROOM);
	message = take(env, &texts, msg, ROOM);
	if (event == LOG4J)
		lttngmap_tracepoint(lttng_log4j, event, message, names[0], names[1], names[2],
				    names[3], line, timestamp, level, names[4]);
	else
		lttngmap_tracepoint(lttng_log4j2, event, message, names[0], names[1], names[2],
				    names[3], line, timestamp, level, names[4]);
}
