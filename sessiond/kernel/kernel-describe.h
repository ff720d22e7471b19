/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-describe.h - an event class of the kernel's in the words of the
 * registry's, so that the same metadata describes both.
 */
#ifndef SESSIOND_KERNEL_KERNEL_DESCRIBE_H
#define SESSIOND_KERNEL_KERNEL_DESCRIBE_H

#include "common/kernel/kernel-class.h"
#include "sessiond/class/registry.h"

/*
 * The same class, called SYSTEM:NAME, with the kernel's id; one allocation, for the
 * caller to free. It holds texts of `class`, which must outlive it. NULL: no memory.
 */
struct registry_class *kernel_class_describe(const struct kernel_class *class);

#endif /* SESSIOND_KERNEL_KERNEL_DESCRIBE_H */
