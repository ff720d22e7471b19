/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * recover.h - `lttngmap-sessiond --recover`: writes into traces what a killed daemon left whose
 * supervisor was killed too, or what a ring directory holds after a reboot
 * (doc/design/recovering.md).
 *
 *   recover.c           finds the saved state, runs a daemon on it, tells
 *   recover-saved.c    the saved state, checked
 *   recovery.c          processes, with their rings' memories
 *   recover-source.c    where those are
 *   ring-set-import.c, ring-set-copy.c   the rings
 *
 * It is a daemon as any other, on a saved state of its own that begins
 * with what the old one says, with every process dead and its rings copied. So
 * what is there stays as it was until all is done, and the consumer writes
 * what is not on disk yet, and nothing twice.
 */
#ifndef SESSIOND_RECOVER_H
#define SESSIOND_RECOVER_H

struct options;

/* options->recover. Returns an exit status, after it has logged its messages. */
int recover_run(const struct options *options);

#endif /* SESSIOND_RECOVER_H */
