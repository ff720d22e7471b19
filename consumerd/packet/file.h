/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * file.h - whole reads and writes: short results go on, signals are no
 * failure. All 0 or -errno, at an offset of the caller's.
 */
#ifndef CONSUMERD_PACKET_FILE_H
#define CONSUMERD_PACKET_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int file_write(int fd, const void *bytes, size_t size, uint64_t offset);
/* Two segments back to back, by one system call where the file system takes it. */
int file_write_pair(int fd, const void *first, size_t first_size, const void *second,
		    size_t second_size, uint64_t offset);
/* Bytes read, fewer than `size` at the end of the file alone; or -errno. */
ssize_t file_read(int fd, void *bytes, size_t size, uint64_t offset);

#endif /* CONSUMERD_PACKET_FILE_H */
