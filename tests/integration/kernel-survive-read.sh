#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# kernel-survive.sh where the kernel maps no ring, and the consumer reads them.

export LTTNGMAP_TEST_KERNEL=read
. "$LTTNGMAP_SRC/tests/integration/kernel-survive.sh"
