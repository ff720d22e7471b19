/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * event-section.h - what the restartable sequences of event-fast.c and event-map.c begin with, as
 * assembly: in r8 is the cached channel, in r11 the offset of the thread's struct rseq. A section
 * that is left before its last store goes on at event_fast_leave, with the arguments of
 * lttngmap_event_write() in rdi and rsi, size in xmm3 and ip in xmm2.
 */
#ifndef LIBLTTNGMAP_EVENT_EVENT_SECTION_H
#define LIBLTTNGMAP_EVENT_EVENT_SECTION_H

#define SECTION_TABLE(TABLE, BEGIN, END, ABORTED)                                                  \
	".pushsection __rseq_cs, \"aw\"\n\t"                                                       \
	".balign 32\n\t" TABLE ": .long 0, 0\n\t"                                                  \
	".quad " BEGIN "f, " END "f - " BEGIN "f, " ABORTED "\n\t"                                 \
	".popsection\n\t"

/*
 * Out: the CPU in r10d; not on one that CPUS counts: to OTHERWISE. The channel is as the cached
 * channel has it from here to the section's end; LEAVE: it is another one since.
 */
#define CHECK_CHANNEL(CPUS, OTHERWISE, LEAVE)                                                      \
	"movl %c[generation](%%r8), %%eax\n\t"                                                     \
	"movl %%fs:%c[cpu_field](%%r11), %%r10d\n\t"                                               \
	"cmpl " CPUS "(%%r8), %%r10d\n\t"                                                          \
	"jae " OTHERWISE "\n\t"                                                                    \
	"movq %c[control_generation](%%r8), %%r11\n\t"                                             \
	"cmpl (%%r11), %%eax\n\t"                                                                  \
	"jne " LEAVE "\n\t"

#endif /* LIBLTTNGMAP_EVENT_EVENT_SECTION_H */
