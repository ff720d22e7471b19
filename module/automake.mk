# SPDX-License-Identifier: GPL-2.0
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The kernel's own build makes it (module/Kbuild), for one kernel each.
EXTRA_DIST += \
	module/Kbuild \
	module/anchor.c \
	module/bell.c \
	module/file.c \
	module/host.c \
	module/include/errno.h \
	module/include/stdbool.h \
	module/include/stddef.h \
	module/include/stdint.h \
	module/include/sys/ioctl.h \
	module/main.c \
	module/memory.c \
	module/packets.c \
	module/set.c \
	module/set.h
