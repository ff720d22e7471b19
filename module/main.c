// SPDX-License-Identifier: GPL-2.0
// SPDX-FileCopyrightText: 2026 The lttngmap authors
/* main.c - the module's begin and end. */
#include <linux/module.h>

static int __init lttngmap_init(void)
{
	return 0;
}

static void __exit lttngmap_exit(void)
{
}

module_init(lttngmap_init);
module_exit(lttngmap_exit);
MODULE_AUTHOR("The lttngmap authors");
MODULE_DESCRIPTION("Rings of traced programs, read in the kernel");
MODULE_LICENSE("GPL");
