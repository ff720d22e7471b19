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
#include <sys/uio.h>

/*
 * Bytes of one system call. The page cache of ext4 takes 2 MiB and more in pages of that size.
 * These are memory that nobody has used for long, which a virtual machine's host has to provide
 * first: a GB took 1.8 s of CPU time by writes of 2 MiB, and 0.24 s by writes of 64 KiB to 1 MiB.
 */
#define FILE_WRITE_MAX ((size_t)512 << 10)

int file_write(int fd, const void *bytes, size_t size, uint64_t offset);
/*
 * Parts back to back, by one system call for each FILE_WRITE_MAX where the file system takes it. At
 * least one is not empty. The array is changed meanwhile.
 */
int file_write_parts(int fd, struct iovec *parts, int nr_parts, uint64_t offset);
/* Bytes read, fewer than `size` at the end of the file alone; or -errno. */
ssize_t file_read(int fd, void *bytes, size_t size, uint64_t offset);

#endif /* CONSUMERD_PACKET_FILE_H */
