/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * recover.h - `lttngmap-sessiond --recover`: writes into traces what a killed daemon left whose
 * supervisor was killed too, or what a ring directory holds after a reboot
 * (doc/design/recovering.md).
 *
 *   recover.c                   finds the saved state, runs a daemon on it, reports
 *   storage/recover-saved.c     reads and checks the saved state
 *   recover/recovery.c          makes processes of it, with their rings' memories
 *   recover/recover-source.c    finds these memories
 *   ring/ring-set-import.c, ring/ring-set-copy.c    make copies of the rings
 *
 * The recovery is a daemon as any other, on a saved state of its own that begins
 * with what the old one says, with every process dead and its rings copied. So the old saved
 * state and the rings stay as they were until all is done. The consumer writes
 * what is not on disk yet, and nothing twice.
 */
#ifndef SESSIOND_RECOVER_H
#define SESSIOND_RECOVER_H

struct options;

/* options->recover. Returns an exit status, after it has logged its messages. */
int recover_run(const struct options *options);

#endif /* SESSIOND_RECOVER_H */
