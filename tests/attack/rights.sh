#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Users send the daemon descriptors whose last close waits for a file system of theirs.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

attack_file dirty
attack rights 8 "$attack_path"
done_testing
