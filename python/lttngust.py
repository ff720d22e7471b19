# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""LTTng's Python agent, done by lttngmap: `import lttngust` is all that a program says.

Each message of Python's logging module is an event lttng_python:event; see
lttngmap-python(7). There is no thread, and nothing to wait for.
"""

import lttngmap

__version__ = "2.13.0"

lttngmap._install_lttng()
