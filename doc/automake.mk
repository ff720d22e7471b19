# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Manual pages (installed) and what explains the tree (distributed).

EXTRA_DIST += \
	doc/design/architecture.md \
	doc/design/figures.md \
	doc/design/ring-file.md \
	doc/design/ring.md \
	doc/design/trace.md

dist_man_MANS += \
	doc/man/lttngmap-abi.5 \
	doc/man/lttngmap-ring-file.3 \
	doc/man/lttngmap.1
