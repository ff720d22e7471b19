# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""Logs, for LTTng's agent and for ours: `import lttngust` is all."""
import logging
import sys
import threading

import lttngust

assert lttngust
order = logging.getLogger("shop.order")
other = logging.getLogger("other")
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("%(name)s %(levelno)d %(message)s"))
handler.setLevel(logging.WARNING)
logging.getLogger().addHandler(handler)


def sell(number):
    order.debug("debug %d", number)
    order.info("sold %d of %s", number, "Größe \U0001f600")
    order.log(7, "seven")


sell(1)
worker = threading.Thread(target=sell, args=(2,), name="worker")
worker.start()
worker.join()
logging.error("the root's")
other.warning("%s and %s", "one", None)
other.critical("")
try:
    1 / 0
except ZeroDivisionError:
    order.exception("with a traceback")
