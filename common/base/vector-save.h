/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * vector-save.h - assembly for x86-64 that saves and restores the vector registers, for code
 * that is entered from a program's instruction and not by a call: it must change none of them.
 */
#ifndef COMMON_BASE_VECTOR_SAVE_H
#define COMMON_BASE_VECTOR_SAVE_H

/* %xmm0 to %xmm15 to the stack, which is moved down and aligned; flags are lost. */
#define VECTOR_SAVE_SSE                                                                            \
	"subq $256, %rsp\n\t"                                                                      \
	"andq $-16, %rsp\n\t"                                                                      \
	"movaps %xmm0, (%rsp)\n\t"                                                                 \
	"movaps %xmm1, 16(%rsp)\n\t"                                                               \
	"movaps %xmm2, 32(%rsp)\n\t"                                                               \
	"movaps %xmm3, 48(%rsp)\n\t"                                                               \
	"movaps %xmm4, 64(%rsp)\n\t"                                                               \
	"movaps %xmm5, 80(%rsp)\n\t"                                                               \
	"movaps %xmm6, 96(%rsp)\n\t"                                                               \
	"movaps %xmm7, 112(%rsp)\n\t"                                                              \
	"movaps %xmm8, 128(%rsp)\n\t"                                                              \
	"movaps %xmm9, 144(%rsp)\n\t"                                                              \
	"movaps %xmm10, 160(%rsp)\n\t"                                                             \
	"movaps %xmm11, 176(%rsp)\n\t"                                                             \
	"movaps %xmm12, 192(%rsp)\n\t"                                                             \
	"movaps %xmm13, 208(%rsp)\n\t"                                                             \
	"movaps %xmm14, 224(%rsp)\n\t"                                                             \
	"movaps %xmm15, 240(%rsp)\n\t"

/* Back again; the stack stays where it is. */
#define VECTOR_RESTORE_SSE                                                                         \
	"movaps (%rsp), %xmm0\n\t"                                                                 \
	"movaps 16(%rsp), %xmm1\n\t"                                                               \
	"movaps 32(%rsp), %xmm2\n\t"                                                               \
	"movaps 48(%rsp), %xmm3\n\t"                                                               \
	"movaps 64(%rsp), %xmm4\n\t"                                                               \
	"movaps 80(%rsp), %xmm5\n\t"                                                               \
	"movaps 96(%rsp), %xmm6\n\t"                                                               \
	"movaps 112(%rsp), %xmm7\n\t"                                                              \
	"movaps 128(%rsp), %xmm8\n\t"                                                              \
	"movaps 144(%rsp), %xmm9\n\t"                                                              \
	"movaps 160(%rsp), %xmm10\n\t"                                                             \
	"movaps 176(%rsp), %xmm11\n\t"                                                             \
	"movaps 192(%rsp), %xmm12\n\t"                                                             \
	"movaps 208(%rsp), %xmm13\n\t"                                                             \
	"movaps 224(%rsp), %xmm14\n\t"                                                             \
	"movaps 240(%rsp), %xmm15\n\t"

/* The header of an xsave area at the stack pointer, which is to be zeros before; changes %rdx. */
#define VECTOR_CLEAR_XSAVE_HEADER                                                                  \
	"xorl %edx, %edx\n\t"                                                                      \
	"movq %rdx, 512(%rsp)\n\t"                                                                 \
	"movq %rdx, 520(%rsp)\n\t"                                                                 \
	"movq %rdx, 528(%rsp)\n\t"                                                                 \
	"movq %rdx, 536(%rsp)\n\t"                                                                 \
	"movq %rdx, 544(%rsp)\n\t"                                                                 \
	"movq %rdx, 552(%rsp)\n\t"                                                                 \
	"movq %rdx, 560(%rsp)\n\t"                                                                 \
	"movq %rdx, 568(%rsp)\n\t"

#endif /* COMMON_BASE_VECTOR_SAVE_H */
