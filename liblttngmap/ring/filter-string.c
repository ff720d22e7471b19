/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-string.c - comparing strings of the record, of contexts and of the
 * program. All take time in proportion to what they read, globs too.
 */
#include "liblttngmap/ring/filter-string.h"

#include <string.h>

#include <lttngmap/filter-code.h>

struct text {
	const uint8_t *bytes;
	size_t size;
	bool has_nul; /* must end in one, within `size` */
};

enum found {
	FOUND_OUTSIDE, /* the program ends */
	FOUND_NONE,    /* a context without a value */
	FOUND,
};

bool filter_string_skip(const struct filter_source *source, uint64_t offset, uint64_t *after)
{
	const uint8_t *nul;

	if (offset >= source->size)
		return false;
	nul = memchr(source->fields + offset, '\0', source->size - offset);
	if (!nul)
		return false;
	*after = (uint64_t)(nul - source->fields) + 1;
	return true;
}

static bool load_count(const struct filter_source *source, uint64_t offset, uint32_t *count)
{
	if (!filter_inside(offset, sizeof(*count), source->size))
		return false;
	memcpy(count, source->fields + offset, sizeof(*count));
	return true;
}

bool filter_sequence_skip(const struct filter_source *source, uint64_t offset,
			  uint64_t element_size, uint64_t *after)
{
	uint32_t count;

	if (element_size > 8 || !load_count(source, offset, &count))
		return false;
	offset += sizeof(count);
	if (!filter_inside(offset, count * element_size, source->size))
		return false;
	*after = offset + count * element_size;
	return true;
}

static enum found find_context(const struct filter_source *source, uint64_t id, struct text *text)
{
	struct filter_value value = { .string = NULL };

	if (!source->contexts || id > UINT32_MAX ||
	    !source->contexts->get(source->contexts, (uint32_t)id, &value) || !value.string)
		return FOUND_NONE;
	*text = (struct text){ (const uint8_t *)value.string, value.size, false };
	return FOUND;
}

static enum found find(const struct filter_source *source, uint64_t where, int64_t sort,
		       struct text *text)
{
	uint32_t count;

	switch (sort) {
	case LTTNGMAP_FILTER_STRING_CONTEXT:
		return find_context(source, where, text);
	case LTTNGMAP_FILTER_STRING_POOL:
		if (!filter_inside((uint32_t)where, where >> 32, source->pool_size))
			return FOUND_OUTSIDE;
		*text = (struct text){ source->pool + (uint32_t)where, where >> 32, false };
		return FOUND;
	case LTTNGMAP_FILTER_STRING_NUL:
		if (where >= source->size)
			return FOUND_OUTSIDE;
		*text = (struct text){ source->fields + where, source->size - where, true };
		return FOUND;
	case LTTNGMAP_FILTER_STRING_SEQUENCE:
		if (!load_count(source, where, &count))
			return FOUND_OUTSIDE;
		where += sizeof(count);
		break;
	default:
		if (sort < 0 || sort > UINT32_MAX)
			return FOUND_OUTSIDE;
		count = (uint32_t)sort;
	}
	if (!filter_inside(where, count, source->size))
		return FOUND_OUTSIDE;
	*text = (struct text){ source->fields + where, count, false };
	return FOUND;
}

/* The byte there, 0 behind the end. False: the NUL that should be is not. */
static inline bool byte_at(const struct text *text, size_t i, uint8_t *byte)
{
	*byte = i < text->size ? text->bytes[i] : 0;
	return i < text->size || !text->has_nul;
}

bool filter_string_compare(const struct filter_source *source, const uint64_t *arguments,
			   uint64_t *result)
{
	enum found found_a, found_b;
	struct text a, b;

	found_a = find(source, arguments[0], (int64_t)arguments[1], &a);
	found_b = find(source, arguments[2], (int64_t)arguments[3], &b);
	if (found_a == FOUND_OUTSIDE || found_b == FOUND_OUTSIDE)
		return false;
	*result = LTTNGMAP_FILTER_NO_VALUE;
	if (found_a == FOUND_NONE || found_b == FOUND_NONE)
		return true;
	for (size_t i = 0;; i++) {
		uint8_t byte_a, byte_b;

		if (!byte_at(&a, i, &byte_a) || !byte_at(&b, i, &byte_b))
			return false;
		if (byte_a != byte_b) {
			*result = byte_a < byte_b ? (uint64_t)-1 : 1;
			return true;
		}
		if (byte_a == 0) {
			*result = 0;
			return true;
		}
	}
}

/* ---- keys of maps -------------------------------------------------------- */

static uint64_t hash_word(uint64_t hash, uint64_t word, uint64_t seed)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ word) * (seed | 1);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, size_t size, uint64_t seed)
{
	uint64_t word;

	for (; size >= sizeof(word); bytes += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = hash_word(hash, word, seed);
	}
	word = 0;
	for (size_t i = 0; i < size; i++)
		word |= (uint64_t)bytes[i] << (8 * i);
	return size ? hash_word(hash, word, seed) : hash;
}

/* Room for a part of so many bytes, in a key that is zeros from there on; NULL: there is none. */
static uint8_t *add_part(struct filter_key *key, size_t size, uint64_t seed)
{
	uint8_t *part = (uint8_t *)key->text + key->size;

	if (size > sizeof(key->text) - key->size)
		return NULL;
	if (key->size == 0) {
		for (size_t i = 0; i < sizeof(key->text) / sizeof(key->text[0]); i++)
			__atomic_store_n(&key->text[i], 0, __ATOMIC_RELAXED);
		key->seed = seed;
		key->key = seed;
	}
	key->size += (uint32_t)size;
	return part;
}

bool filter_key_number(struct filter_key *key, const uint64_t *arguments, uint64_t *result)
{
	uint8_t *part = add_part(key, 1 + sizeof(arguments[0]), arguments[3]);

	if (!part)
		return false;
	part[0] = arguments[1] ? LTTNGMAP_FILTER_PART_UNSIGNED : LTTNGMAP_FILTER_PART_SIGNED;
	memcpy(part + 1, &arguments[0], sizeof(arguments[0]));
	key->key = hash_word(hash_word(key->key, part[0], key->seed), arguments[0], key->seed);
	*result = 1;
	return true;
}

bool filter_key_string(const struct filter_source *source, struct filter_key *key,
		       const uint64_t *arguments, uint64_t *result)
{
	const uint64_t most = arguments[2] > UINT8_MAX ? UINT8_MAX : arguments[2];
	enum found found;
	const uint8_t *nul;
	struct text text;
	uint8_t *part;
	size_t kept;

	found = find(source, arguments[0], (int64_t)arguments[1], &text);
	*result = found == FOUND;
	if (found != FOUND)
		return found == FOUND_NONE;
	nul = text.size ? memchr(text.bytes, '\0', text.size) : NULL;
	if (!nul && text.has_nul)
		return false;
	if (nul)
		text.size = (size_t)(nul - text.bytes);
	kept = text.size > most ? most : text.size;
	part = add_part(key, 2 + kept, arguments[3]);
	if (!part)
		return false;
	part[0] = kept < text.size ? LTTNGMAP_FILTER_PART_BEGIN : LTTNGMAP_FILTER_PART_STRING;
	part[1] = (uint8_t)kept;
	memcpy(part + 2, text.bytes, kept);
	/* The size tells strings apart from numbers, whose kinds are lower. */
	key->key = hash_word(key->key, text.size << 8 | LTTNGMAP_FILTER_PART_STRING, key->seed);
	key->key = hash_bytes(key->key, text.bytes, text.size, key->seed);
	return true;
}

/* ---- globs --------------------------------------------------------------- */

struct part {
	const uint8_t *bytes;
	const uint8_t *borders; /* u16 each; of a part in the middle */
	size_t size;
};

static uint16_t load16(const uint8_t *from)
{
	uint16_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static bool take_part(const uint8_t **at, const uint8_t *end, bool in_middle, struct part *part)
{
	size_t left = (size_t)(end - *at), size;

	if (left < sizeof(uint16_t))
		return false;
	/* Once: the pool may change meanwhile. */
	size = load16(*at);
	left -= sizeof(uint16_t);
	if (left < (in_middle ? 3 * size : size) || (in_middle && size == 0))
		return false;
	part->bytes = *at + sizeof(uint16_t);
	part->borders = part->bytes + size;
	part->size = size;
	*at = part->borders + (in_middle ? 2 * size : 0);
	return true;
}

/*
 * The part's first place in [*at, end), after Knuth, Morris and Pratt: each
 * byte of the text is looked at once, and what is given up again of the
 * part was taken before. Borders that are none only make that wrong.
 */
static bool search(const struct part *part, const uint8_t **at, const uint8_t *end)
{
	size_t matched = 0;

	for (const uint8_t *byte = *at; byte < end; byte++) {
		while (matched > 0 && part->bytes[matched] != *byte) {
			size_t border = load16(part->borders + 2 * (matched - 1));

			matched = border < matched ? border : 0;
		}
		if (part->bytes[matched] == *byte)
			matched++;
		if (matched == part->size) {
			*at = byte + 1;
			return true;
		}
	}
	return false;
}

/* From the first part on; `at` to `end` is the glob, behind its count. */
static bool match_parts(const uint8_t *at, const uint8_t *end, unsigned nr_parts,
			const uint8_t *text, const uint8_t *text_end, uint64_t *result)
{
	struct part part;

	*result = 0;
	if (!take_part(&at, end, false, &part))
		return false;
	if (part.size > (size_t)(text_end - text) || memcmp(text, part.bytes, part.size) != 0)
		return true;
	text += part.size;
	for (unsigned i = 2; i < nr_parts; i++) {
		if (!take_part(&at, end, true, &part))
			return false;
		if (!search(&part, &text, text_end))
			return true;
	}
	if (!take_part(&at, end, false, &part))
		return false;
	*result = part.size <= (size_t)(text_end - text) &&
		  memcmp(text_end - part.size, part.bytes, part.size) == 0;
	return true;
}

bool filter_string_glob(const struct filter_source *source, const uint64_t *arguments,
			uint64_t *result)
{
	const uint8_t *glob, *nul;
	unsigned nr_parts;
	struct text text;
	enum found found = find(source, arguments[0], (int64_t)arguments[1], &text);

	if (found == FOUND_OUTSIDE || arguments[3] < sizeof(uint16_t) ||
	    !filter_inside(arguments[2], arguments[3], source->pool_size))
		return false;
	*result = LTTNGMAP_FILTER_NO_VALUE;
	if (found == FOUND_NONE)
		return true;
	nul = text.size ? memchr(text.bytes, '\0', text.size) : NULL;
	if (!nul && text.has_nul)
		return false;
	glob = source->pool + arguments[2];
	nr_parts = load16(glob);
	if (nr_parts < 2)
		return false;
	return match_parts(glob + sizeof(uint16_t), glob + arguments[3], nr_parts, text.bytes,
			   nul ? nul : text.bytes + text.size, result);
}
