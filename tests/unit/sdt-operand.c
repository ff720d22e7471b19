/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-operand.c - the arguments of a probe: what each text means, what it is where the
 * program stands in the probe, and which texts are refused, for which reason.
 */
#include <errno.h>
#include <string.h>

#include "sdt/operand.h"
#include "tests/utils/tap.h"

/* What stands about the stack pointer, and the object's own data. */
static struct {
	char below[256];
	uint64_t frame[16];
	char above[70000];
} stack;
static uint64_t table[4] = { 0x1122334455667788, 0xfffffffffffffff0, 33, 44 };

static int find(void *context, const char *name, size_t length, struct sdt_symbol *symbol)
{
	(void)context;
	if (length == 5 && memcmp(name, "table", 5) == 0)
		*symbol = (struct sdt_symbol){ (uint64_t)table, (uint64_t)table,
					       (uint64_t)(table + 4) };
	else if (length == 5 && memcmp(name, "twice", 5) == 0)
		return -ENOTUNIQ;
	else if (length == 6 && memcmp(name, "beyond", 6) == 0)
		return -EFAULT;
	else if (length == 3 && memcmp(name, "a@b", 3) == 0)
		*symbol = (struct sdt_symbol){ 4711, 0, 0 };
	else
		return -ENOENT;
	return 0;
}

static uint64_t registers[SDT_REGISTERS];

static void set_registers(void)
{
	for (unsigned i = 0; i < SDT_REGISTERS; i++)
		registers[i] = UINT64_C(0xf0e0d0c0b0a09080) + i;
	registers[SDT_RCX] = 1;
	registers[SDT_RSP] = (uint64_t)stack.frame;
	registers[SDT_RBP] = (uint64_t)(stack.frame + 8);
	for (unsigned i = 0; i < 16; i++)
		stack.frame[i] = 1000 + i;
	memset(stack.below, 0x11, sizeof(stack.below));
}

#define LOST 1
static const struct row {
	const char *text;
	uint64_t value;
	int lost;
} values[] = {
	{ "8@%rax", UINT64_C(0xf0e0d0c0b0a09080), 0 },
	{ "4@%eax", UINT64_C(0xb0a09080), 0 },
	{ "-4@%eax", UINT64_C(0xffffffffb0a09080), 0 },
	{ "2@%ax", 0x9080, 0 },
	{ "-2@%ax", UINT64_C(0xffffffffffff9080), 0 },
	{ "1@%al", 0x80, 0 },
	{ "1@%ah", 0x90, 0 },
	{ "-1@%bh", UINT64_C(0xffffffffffffff90), 0 },
	{ "1@%sil", 0x86, 0 },
	{ "1@%r9b", 0x89, 0 },
	{ "2@%r10w", 0x908a, 0 },
	{ "4@%r15d", UINT64_C(0xb0a0908f), 0 },
	{ "8@%r8", UINT64_C(0xf0e0d0c0b0a09088), 0 },
	{ "1@%rdx", 0x82, 0 },
	{ "%rdi", UINT64_C(0xf0e0d0c0b0a09087), 0 },
	{ "8f@%rdx", UINT64_C(0xf0e0d0c0b0a09082), 0 },
	{ "8@$42", 42, 0 },
	{ "-8@$-42", (uint64_t)-42, 0 },
	{ "-4@$0x7fffffff", 0x7fffffff, 0 },
	{ "1@$0x1ff", 0xff, 0 },
	{ "-1@$255", (uint64_t)-1, 0 },
	{ "8@$table", (uint64_t)table, 0 },
	{ "8@$1+2", 3, 0 },
	{ "8@$10-2+1", 9, 0 },
	{ "$a@b", 4711, 0 },
	{ "8@(%rsp)", 1000, 0 },
	{ "8@8(%rsp)", 1001, 0 },
	{ "8@-8(%rbp)", 1007, 0 },
	{ "8@8+8(%rsp)", 1002, 0 },
	{ "8@0x10(%rsp)", 1002, 0 },
	{ "8@(%rsp,%rcx,8)", 1001, 0 },
	{ "8@(%rsp,%rcx)", UINT64_C(0xe900000000000003), 0 },
	{ "4@-128(%rsp)", 0x11111111, 0 },
	{ "4@-129(%rsp)", 0, LOST },
	{ "8@65528(%rsp)", 0, 0 },
	{ "8@65529(%rsp)", 0, LOST },
	{ "8@table(%rip)", 0x1122334455667788, 0 },
	{ "-8@table+8(%rip)", (uint64_t)-16, 0 },
	{ "4@8+table(%rip)", 0xfffffff0, 0 },
	{ "8@table(,%rcx,8)", 0xfffffffffffffff0, 0 },
	{ "2@table(%rcx)", 0x6677, 0 },
	{ "8@table+24(%rip)", 44, 0 },
	{ "8@table+25(%rip)", 0, LOST },
	{ "8@table-1(%rip)", 0, LOST },
	{ "8@table(%rax)", 0, LOST },
	{ "1@table", 0x88, 0 },
};

static const struct {
	const char *text;
	int error;
	const char *meant;
} refusals[] = {
	{ "8@", -EINVAL, "8@" },
	{ "8@%xmm0", -ENXIO, "8@%xmm0" },
	{ "8@%fs:16", -ENXIO, NULL },
	{ "8@%r16", -ENXIO, NULL },
	{ "8@%r7", -ENXIO, NULL },
	{ "8@%r9x", -ENXIO, NULL },
	{ "8@%r9bb", -ENXIO, NULL },
	{ "8@%", -ENXIO, NULL },
	{ "8@%rip", -ENXIO, NULL },
	{ "8@%eax", -EINVAL, NULL },
	{ "4@%ax", -EINVAL, NULL },
	{ "8@%rax)", -EINVAL, NULL },
	{ "3@%rax", -EINVAL, NULL },
	{ "16@%rax", -EINVAL, NULL },
	{ "2f@%rax", -EINVAL, NULL },
	{ "99999999999999999999@%rax", -EINVAL, NULL },
	{ "8@$", -EINVAL, NULL },
	{ "8@$-", -EINVAL, NULL },
	{ "8@$18446744073709551616", -EINVAL, NULL },
	{ "8@$0x", -ENOENT, NULL },
	{ "8@$-table", -EINVAL, NULL },
	{ "8@$table+table", -EINVAL, NULL },
	{ "8@(%rax)", -EFAULT, NULL },
	{ "8@16(%rbx)", -EFAULT, NULL },
	{ "8@(%esp)", -EINVAL, NULL },
	{ "8@(%rsp", -EINVAL, NULL },
	{ "8@(%rsp,%rcx,3)", -EINVAL, NULL },
	{ "8@(%rsp,%rcx,16)", -EINVAL, NULL },
	{ "8@(%rsp,%rcx,0)", -EINVAL, NULL },
	{ "8@(%rsp,%rcx,8", -EINVAL, NULL },
	{ "8@()", -EINVAL, NULL },
	{ "8@8(%rip)", -EINVAL, NULL },
	{ "8@table(%rip,%rcx,8)", -EINVAL, NULL },
	{ "8@4711", -EINVAL, NULL },
	{ "8@nobody(%rip)", -ENOENT, NULL },
	{ "8@twice(%rip)", -ENOTUNIQ, NULL },
	{ "8@beyond(%rip)", -EFAULT, NULL },
	{ "8@%rax 4@%nothing 2@%ax", -ENXIO, "4@%nothing" },
	{ "1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$13", -E2BIG, "1@$13" },
};

int main(void)
{
	struct sdt_operand operands[SDT_OPERANDS_MAX];
	const char *at;
	size_t length;

	set_registers();
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const struct row *row = &values[i];
		int count = sdt_operands_parse(row->text, operands, find, NULL, &at, &length);
		uint64_t value = 0;
		bool is_read = count == 1 && sdt_operand_value(&operands[0], registers, &value);

		if (!ok(count == 1 && is_read == !row->lost && (!is_read || value == row->value),
			"%s", row->text))
			diag("%d, %d, 0x%lx", count, is_read, (unsigned long)value);
	}
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const char *meant = refusals[i].meant ? refusals[i].meant : refusals[i].text;
		int count =
			sdt_operands_parse(refusals[i].text, operands, find, NULL, &at, &length);

		if (!ok(count == refusals[i].error && length == strlen(meant) &&
				memcmp(at, meant, length) == 0,
			"%s", refusals[i].text))
			diag("%d at %.*s", count, (int)length, at);
	}
	is(sdt_operands_parse("", operands, find, NULL, &at, &length), 0, "no argument");
	is(sdt_operands_parse(" \t-4@%esi\t 8@16(%rsp) ", operands, find, NULL, &at, &length), 2,
	   "two arguments, with whatever is between them");
	is(operands[0].is_signed && operands[0].size == 4 && operands[1].size == 8 &&
		   !operands[1].is_signed,
	   1, "each with its own size and sign");
	return done_testing();
}
