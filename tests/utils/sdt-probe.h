/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* sdt-probe.h - probes that are written by hand. */
#ifndef TESTS_SDT_PROBE_H
#define TESTS_SDT_PROBE_H

/*
 * A probe at label 1, of which `code` is the rest: at first the four bytes that
 * are the distance of the jump.
 */
#define PROBE(name, semaphore, arguments, code)                                                    \
	"1:\t.byte 0x90," code "\n"                                                                \
	".pushsection .note.stapsdt, \"\", @note\n\t"                                              \
	".balign 4\n\t.long 3f - 2f, 5f - 4f, 3\n"                                                 \
	"2:\t.asciz \"stapsdt\"\n"                                                                 \
	"3:\t.balign 4\n"                                                                          \
	"4:\t.quad 1b, 0, " semaphore "\n\t"                                                       \
	".asciz \"odd\"\n\t.asciz \"" name "\"\n\t.asciz \"" arguments "\"\n"                      \
	"5:\t.balign 4\n"                                                                          \
	".popsection\n\t"

#endif /* TESTS_SDT_PROBE_H */
