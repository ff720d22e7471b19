# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Programs recorded with the syslog family: each message that the C library says,
# here to standard error as well, is an event, in the same words, no more and no less.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
. "$LTTNGMAP_SRC/tests/utils/counted-calls.sh"
cat >"$TAP_DIR/speak.py" <<'END'
import syslog, threading

def speak(who):
	for i in range(500):
		syslog.syslog(i % 8 | syslog.LOG_LOCAL3, "%s says %d" % (who, i))

syslog.openlog("speaker", syslog.LOG_PERROR)
threads = [threading.Thread(target=speak, args=[who]) for who in ("Ada", "Bob")]
for thread in threads:
	thread.start()
for thread in threads:
	thread.join()
syslog.syslog("the end")
END

# record RULES COMMAND...: what the program says to $TAP_DIR/said.
record() {
	rm -rf "$TAP_DIR/trace"
	"$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/trace" --mode blocking "${rules[@]}" -- \
		"$@" >"$TAP_DIR/out" 2>"$TAP_DIR/said"
	babeltrace2 "$TAP_DIR/trace" >"$TAP_DIR/text" 2>&1
}

# messages: IDENT: MESSAGE of the events, sorted.
messages() {
	sed -En 's/.* lttngmap_syslog:.* ident = "([^"]*)",.* message = "(.*)" \}$/\1: \2/p' \
		"$TAP_DIR/text" | LC_ALL=C sort
}

rules=(-e 'lttngmap_syslog:*')
some_events record python3 "$TAP_DIR/speak.py"
is "$(wc -l <"$TAP_DIR/said")" 1001 'two threads have said what they had to'
is "$(messages)" "$(LC_ALL=C sort "$TAP_DIR/said")" 'each message is one event, word for word'
is "$(grep -c 'lttngmap_syslog:err: .* facility = ( "local3" : container = 19 ), priority = 3,' \
	"$TAP_DIR/text")" 126 'with its priority and facility'

is "$("$LTTNGMAP_BUILD/lttngmap" view "$TAP_DIR/trace" 2>/dev/null | grep -c '_message_length')" 0 \
	'  ... without the length of its text, which is no field'

rules=(-e lttngmap_syslog:err)
some_events record python3 "$TAP_DIR/speak.py"
is "$(sed -En 's/.* lttngmap_syslog:([a-z]+):.*/\1/p' "$TAP_DIR/text" | sort | uniq -c | xargs)" \
	'126 err' 'a rule takes one priority'

cat >"$TAP_DIR/fortified.c" <<'END'
#include <syslog.h>

int main(int argc, char **argv)
{
	openlog("fort", LOG_PERROR, LOG_AUTHPRIV);
	for (int i = 0; i < argc; i++)
		syslog(LOG_NOTICE, "argument %d", i);
	return argv[0] == 0;
}
END
"${LTTNGMAP_CC:-cc}" -w -O2 -D_FORTIFY_SOURCE=2 -o "$TAP_DIR/fortified" "$TAP_DIR/fortified.c" ||
	bail_out 'no compiler'
rules=(-e '*:*' --preload syslog)
some_events record "$TAP_DIR/fortified" a b
is "$(messages)" "$(<"$TAP_DIR/said")" 'what was built with _FORTIFY_SOURCE, by --preload'
done_testing
