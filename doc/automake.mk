# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors

EXTRA_DIST += \
	doc/design/architecture.md

dist_man_MANS +=
