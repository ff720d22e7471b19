# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Python's logging recorded by the module lttngmap: each message that a handler of the
# program's own has seen is an event, once, in the same words; the program logs as it
# does without; and what nobody records is not even formatted.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
. "$LTTNGMAP_SRC/tests/utils/counted-calls.sh"
export PYTHONPATH=$LTTNGMAP_PLAIN/python LD_LIBRARY_PATH=$LTTNGMAP_PLAIN/.libs
export PYTHONDONTWRITEBYTECODE=1
cd "$TAP_DIR" || exit 1

# record RULE COMMAND...: what it says to said, its events to text.
record() {
	rm -rf trace
	"$LTTNGMAP_BUILD/lttngmap" record -q -o trace --preload none --mode blocking -e "$1" -- \
		"${@:2}" >said 2>&1
	echo $? >status
	babeltrace2 trace >text 2>&1
}

# messages: LOGGER LEVEL MESSAGE of the events, sorted.
messages() {
	sed -En 's/.* lttngmap_python:.*\{ logger = "([^"]*)", level = (-?[0-9]+), .*, message = "(.*)" \}$/\1 \2 \3/p' \
		text | LC_ALL=C sort
}

cat >threads.py <<'END'
import logging, os, sys, threading

logging.basicConfig(format="%(name)s %(levelno)d %(message)s", level=1, stream=sys.stdout)

def work(name):
	log = logging.getLogger(name)
	for i in range(200):
		log.log(i % 60 + 1, "step %d of %s", i, name)

threads = [threading.Thread(target=work, args=["pool.%d" % i]) for i in range(3)]
for thread in threads:
	thread.start()
for thread in threads:
	thread.join()
child = os.fork()
if child == 0:
	logging.getLogger("child").error("of %s", "its own")
	sys.stdout.flush()
	os._exit(0)
os.waitpid(child, 0)
logging.warning("Größe \udc80 and the end")
logging.config = __import__("logging.config").config
logging.config.dictConfig({"version": 1, "disable_existing_loggers": False,
	"formatters": {"f": {"format": "%(name)s %(levelno)d %(message)s"}},
	"handlers": {"h": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "f"}},
	"root": {"level": "INFO", "handlers": ["h"]}})
logging.info("configured anew")
logging.debug("and not said")
END
export PYTHONIOENCODING=utf-8:backslashreplace
python3 threads.py >plain 2>&1
some_events record 'lttngmap_python:*' python3 -m lttngmap threads.py
is "$(<status)" 0 'the program ends well'
is "$(LC_ALL=C sort said)" "$(LC_ALL=C sort plain)" '  ... and logs what it does without'
is "$(wc -l <said)" 603 '  ... which is all that it should'
is "$(sed 's/\\\\/\\/g' text >text.1 && mv text.1 text && messages)" "$(LC_ALL=C sort said)" \
	'each message is one event, word for word, with its logger and level'
is "$(sed -En 's/.* lttngmap_python:([a-z]+):.* level = ([0-9]+),.*/\1 \2/p' text |
	awk '{ if (!($1 in low) || $2 < low[$1]) low[$1] = $2; if ($2 > high[$1]) high[$1] = $2 }
		END { for (l in low) print l, low[l], high[l] }' | sort | xargs)" \
	'critical 50 60 debug 1 19 error 40 49 info 20 29 warning 30 39' 'each level is its event'
like "$(grep ' name\|pool.1' text | head -1)" \
	'file = "[^"]*threads.py", line = 8, func = "work", thread = "Thread-[0-9]' \
	'where, and in which thread'

some_events record lttngmap_python:error python3 -m lttngmap threads.py
is "$(grep -c lttngmap_python: text)" "$(grep -cE '^[^ ]+ 4[0-9] ' plain)" 'a rule takes one level'

# ---- what has no handler, what nobody records -----------------------------------------

cat >bare.py <<'END'
import logging, sys

class Counted:
	formatted = 0
	def __str__(self):
		Counted.formatted += 1
		return "counted"

import lttngmap
lttngmap.install()
lttngmap.install()
quiet = logging.getLogger("quiet")
quiet.propagate = False
quiet.addHandler(logging.NullHandler())
quiet.error("%s", Counted())
print(Counted.formatted, lttngmap.available)
try:
	1 / 0
except ZeroDivisionError:
	logging.getLogger("bare").exception("to standard error")
logging.error("%d", "no number")
END
some_events record 'lttngmap_python:*' python3 bare.py
like "$(<said)" '1 True.*to standard error.*ZeroDivisionError' 'what has no handler is told as ever'
is "$(grep -c lttngmap_python: text)" 2 'each message once, of a logger that keeps it to itself, too'
like "$(<text)" 'message = "to standard error.nTraceback .*ZeroDivisionError: division by zero"' \
	'with its exception'
"$LTTNGMAP_BUILD/lttngmap" record -q -o off --preload none -e none:none -- python3 bare.py >said 2>&1
like "$(<said)" '^0 True' 'what nobody records is not formatted'
LD_LIBRARY_PATH='' python3 -m lttngmap bare.py >said 2>&1
like "$(<said)" '^0 (True|False)' 'without the library, or a daemon, a program does the same'

# A formatter's idea of an exception, errors in a message, and a record that is none.
cat >odd.py <<'END'
import logging, sys

class Brief(logging.Formatter):
	def formatException(self, info):
		return "brief " + info[0].__name__

handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(Brief("%(message)s"))
log = logging.getLogger("odd")
log.addHandler(handler)
log.propagate = False
try:
	[][1]
except IndexError:
	log.exception("it failed")
log.error("%d", "no number")
handler.setLevel(logging.CRITICAL)

class Deep:
	def __str__(self):
		return str(self)

log.error("%s", Deep())
try:
	log.handle(logging.makeLogRecord({"levelno": None}))
except TypeError as error:
	print(error)
END
python3 odd.py >plain 2>&1
some_events record 'lttngmap_python:*' python3 -m lttngmap odd.py
# Lines of a call stack begin with blanks; who runs the program is in there.
is "$(grep -v '^  ' said)" "$(grep -v '^  ' plain)" 'what is odd is told as without, and once'
like "$(<text)" 'message = "it failed.nTraceback ' '  ... and is an event'

cat >some.py <<'END'
import logging, lttngmap
log = logging.getLogger("one")
log.addHandler(lttngmap.Handler())
log.addHandler(logging.NullHandler())
log.error("seen")
logging.getLogger("two").error("not seen")
END
some_events record 'lttngmap_python:*' python3 some.py
is "$(messages)" 'one 40 seen' 'a handler for one logger'
python3 -m lttngmap >said 2>&1
is "$?: $(<said)" '1: usage: python3 -m lttngmap [-m MODULE | PROGRAM] [ARGUMENT...]' 'no program: the usage'
printf 'import sys, logging; logging.error("%%s", sys.argv[1:])\n' >mod.py
some_events record 'lttngmap_python:*' python3 -m lttngmap -m mod -m x
is "$(messages | tr -d '\\')" "root 40 ['-m', 'x']" 'a module'
done_testing
