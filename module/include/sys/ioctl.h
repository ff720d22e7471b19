/* SPDX-License-Identifier: GPL-2.0 */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* libc's sys/ioctl.h, as far as the ring's core needs it. */
#ifndef MODULE_INCLUDE_SYS_IOCTL_H
#define MODULE_INCLUDE_SYS_IOCTL_H

#include <linux/ioctl.h>

#endif /* MODULE_INCLUDE_SYS_IOCTL_H */
