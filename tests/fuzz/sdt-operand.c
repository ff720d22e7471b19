/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-operand.c - any text as the arguments of a probe, and any registers where it is
 * passed: only the stack's frame and the object's data are read. The input is a
 * message that is the registers, then the text.
 */
#include <errno.h>
#include <string.h>

#include "sdt/operand.h"
#include "tests/fuzz/fuzz.h"

#define RED_ZONE 128u
#define FRAME 65536u

static uint8_t *stack, *data_of_object;
#define DATA_SIZE 64u

static int find(void *context, const char *name, size_t length, struct sdt_symbol *symbol)
{
	(void)context;
	FUZZ_CHECK(length > 0 && !memchr(name, '\0', length));
	*symbol = (struct sdt_symbol){ (uint64_t)data_of_object + length, (uint64_t)data_of_object,
				       (uint64_t)data_of_object + DATA_SIZE };
	return name[0] == 'u' ? -ENOTUNIQ : name[0] == 'n' ? -ENOENT : 0;
}

static void check_value(const struct sdt_operand *operand, const uint64_t *registers)
{
	uint64_t value = 0, mask = operand->size == 8 ? 0 : UINT64_MAX << 8 * operand->size;

	FUZZ_CHECK(operand->size == 1 || operand->size == 2 || operand->size == 4 ||
		   operand->size == 8);
	if (!sdt_operand_value(operand, registers, &value)) {
		FUZZ_CHECK(operand->kind == SDT_STACK || operand->kind == SDT_OBJECT);
		return;
	}
	/* Beyond its size there is nothing but its sign. */
	FUZZ_CHECK((value & mask) == 0 || (operand->is_signed && (value & mask) == mask));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	uint64_t registers[SDT_REGISTERS] = { 0 };
	struct sdt_operand operands[SDT_OPERANDS_MAX];
	size_t length, text_size;
	const uint8_t *bytes = fuzz_take_message(&input, &length);
	const char *at;
	char *text;
	int count;

	/* Exactly what may be read, so that a sanitizer sees a byte more. */
	stack = malloc(RED_ZONE + FRAME);
	data_of_object = malloc(DATA_SIZE);
	text_size = input.size;
	text = malloc(text_size + 1);
	FUZZ_CHECK(stack && data_of_object && text);
	memset(stack, 0x55, RED_ZONE + FRAME);
	memset(data_of_object, 0xaa, DATA_SIZE);
	memcpy(registers, bytes, length < sizeof(registers) ? length : sizeof(registers));
	registers[SDT_RSP] = (uint64_t)stack + RED_ZONE;
	/* Near it, or anywhere. */
	if (registers[SDT_RBP] % 2)
		registers[SDT_RBP] = registers[SDT_RSP] + (registers[SDT_RBP] >> 1) % (FRAME + 16);
	memcpy(text, input.data, text_size);
	text[text_size] = '\0';
	count = sdt_operands_parse(text, operands, find, NULL, &at, &length);
	FUZZ_CHECK(count <= (int)SDT_OPERANDS_MAX);
	FUZZ_CHECK(count >= 0 || (at >= text && length > 0 && at + length <= text + strlen(text)));
	for (int i = 0; i < count; i++)
		check_value(&operands[i], registers);
	free(text);
	free(data_of_object);
	free(stack);
	return 0;
}
