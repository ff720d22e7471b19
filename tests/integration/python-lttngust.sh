# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A program that says `import lttngust` is recorded as it is: by the rules that LTTng's commands make of names and levels
# of loggers, with the events of LTTng's own agent, each field the same. What the program logs elsewhere stays as it is,
# whatever level lets it. Where LTTng's agent is installed, it is asked again.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
need_plain

sources=$LTTNGMAP_SRC/tests/lttng
mkdir "$TAP_DIR/bin" "$TAP_DIR/ours" "$TAP_DIR/peer"
ln -s "$LTTNGMAP_SRC/cli/lttng" "$TAP_DIR/bin/lttng"
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LTTNGMAP_COMMAND=$LTTNGMAP_BUILD/lttngmap LTTNG_HOME=$TAP_DIR/home
path=$PATH
PATH=$TAP_DIR/bin:$PATH
python_path=$LTTNGMAP_SRC/python:$LTTNGMAP_PLAIN/python
run=(env PYTHONPATH="$python_path" LD_LIBRARY_PATH="$LTTNGMAP_PLAIN/.libs" LTTNGMAP_REGISTER_TIMEOUT=5000 python3 -B)
cd "$sources" || exit 1

sessiond_start
"$BASH" loggers.sh "$TAP_DIR/ours" python.txt "${run[@]}" python.py >"$TAP_DIR/ours.txt" 2>"$TAP_DIR/err"
ok "LTTng's events, each field the same, by names, levels and filters" diff python.expected "$TAP_DIR/ours.txt" ||
	diag "$(tail -20 "$TAP_DIR/ours/said")"

# ---- levels of loggers ----------------------------------------------------------------

cat >"$TAP_DIR/levels.py" <<'END'
import logging, logging.handlers, sys
import lttngust

logging.basicConfig(format="%(name)s %(levelno)d %(message)s", level="WARNING", stream=sys.stdout)
own = logging.getLogger("own")
own.setLevel(logging.ERROR)
off = logging.getLogger("off")
for log in own, off, logging.getLogger("other"):
    log.debug("low")
    log.error("high")
print(own.isEnabledFor(logging.DEBUG))
# To have asked keeps nothing from handlers later.
own.setLevel(logging.DEBUG)
own.debug("asked before")
# A record that is handed on is no matter of levels, whatever was asked before.
logging.getLogger("queue").setLevel(logging.ERROR)
logging.getLogger("queue").isEnabledFor(10)
logging.getLogger("queue").handle(logging.makeLogRecord({"name": "queue", "levelno": 10, "msg": "handed on"}))
off.disabled = True
off.error("disabled")
logging.disable(logging.INFO)
own.info("all are off")
logging.disable(logging.NOTSET)

class Own(logging.Logger):
    def makeRecord(self, *args, **kwargs):
        return logging.LogRecord("made", logging.DEBUG, "", 0, "by the class", (), None)

own = Own("own class", logging.ERROR)
own.parent = logging.getLogger()
own.debug("low")

class Odd:
    def __str__(self):
        raise ValueError("odd")

handlers = logging.getLogger().handlers[:]
logging.getLogger().handlers[:] = [logging.NullHandler()]
logging.error("%s", Odd())
logging.error("%d", "no number")
logging.error("x" * 9000)
logging.error("\u00e9" * 9000)
logging.error("a surrogate \udc80")
END
events() {
	babeltrace2 --no-delta "$TAP_DIR/trace" |
		sed -nE 's/.* lttng_python:event: .*msg = "(.{0,12}).*", logger_name = "([^"]*)".* int_loglevel = ([0-9]+), .*, threadName = "Main.*/\2 \3 \1/p'
}
"${run[@]}" "$TAP_DIR/levels.py" >"$TAP_DIR/plain"
lttng create levels --output="$TAP_DIR/trace" >/dev/null
ok 'a rule' lttng enable-event -p --all
lttng start >/dev/null
"${run[@]}" "$TAP_DIR/levels.py" >"$TAP_DIR/said"
lttng stop >/dev/null
is "$(sed 's/^True$/False/' "$TAP_DIR/said")" "$(<"$TAP_DIR/plain")" 'handlers of the program see what they see without'
is "$(<"$TAP_DIR/plain")" $'own 40 high\noff 40 high\nother 40 high\nFalse\nown 10 asked before\nqueue 10 handed on' '  ... which is this'
like "$(<"$TAP_DIR/said")" 'True' '  ... and a level is on that a session takes'
is "$(events)" 'own 10 low
own 40 high
off 10 low
off 40 high
other 10 low
other 40 high
own 10 asked before
queue 10 handed on
root 40 xxxxxxxxxxxx
root 40 éééééééééééé
root 40 a surrogate ' 'a level of a logger keeps nothing back, what is disabled is'

# ---- rules go and come ----------------------------------------------------------------

ok 'a rule for a logger' lttng enable-event -p 'own,q"u*'
like "$(lttng list levels)" 'rule 2: lttng_python:event, if \(logger_name == "own"\)' 'is one with a filter'
like "$(lttng list levels)" 'logger_name == "q\\"u\*"' '  ... each name one'
ok 'a rule for every logger, with a filter that names one' \
	"$LTTNGMAP_COMMAND" enable --python '*' -l ERROR -f 'msg == "a" || (logger_name == "own")' -s levels
ok 'it is disabled by its name' lttng disable-event --python own
like "$(lttng list levels)" '\(disabled\).*logger_name == "own"' '  ... the rule'
is "$(lttng list levels | grep -c disabled)" 1 '  ... it alone, and none whose filter has that name'
ok 'all are, of one kind' "$LTTNGMAP_COMMAND" remove --python --all
like "$(lttng list levels | grep -c 'rule')" '^0' '  ... and gone'
refused() { # REGEX ARGUMENT...
	local output status=0

	output=$("$LTTNGMAP_COMMAND" "${@:2}" 2>&1) || status=$?
	is "$status" 2 "lttngmap ${*:2}: status 2"
	like "$output" "$1" '  ... and why'
}
refused 'no log level of --python.*CRITICAL' enable --python -l SEVERE own
refused 'goes with --loglevel' enable --python -x a own
refused 'not both' remove --kernel --python own
refused '--python and --log4j do not go together' enable-event --python -l WARNING
refused '--jul and --log4j2 do not go together' disable --jul --log4j2 own
lttng destroy >/dev/null
sessiond_stop

# ---- beside our own module, and without a daemon ----------------------------------------

cat >"$TAP_DIR/both.py" <<'END'
import logging, lttngust, lttngmap
lttngmap.install()
log = logging.getLogger("both")
log.setLevel(logging.INFO)
log.debug("low")
log.info("high")
END
for rule in lttng_python:event 'lttngmap_python:*'; do
	"$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/both" --preload none -e "$rule" -- "${run[@]}" "$TAP_DIR/both.py"
	babeltrace2 "$TAP_DIR/both" | grep -c 'python:'
	rm -rf "$TAP_DIR/both"
done >"$TAP_DIR/counts"
is "$(xargs <"$TAP_DIR/counts")" '2 1' 'beside our own events, each by its own rules'
is "$(LD_LIBRARY_PATH='' PYTHONPATH=$python_path python3 -B "$TAP_DIR/levels.py")" "$(<"$TAP_DIR/plain")" \
	'without a daemon, or the library, a program does the same'

# ---- beside LTTng ---------------------------------------------------------------------

PATH=$path "$BASH" "$sources/peer.sh" "$sources" python "$TAP_DIR/peer" >"$TAP_DIR/theirs" 2>"$TAP_DIR/peer.err"
case $? in
77) skip 1 "LTTng's agent is not installed: python.expected is what version 2.13.5 made of it" ;;
0) ok 'LTTng records these events' diff python.expected "$TAP_DIR/theirs" ;;
*)
	fail 'python.py under LTTng'
	diag "$(tail -5 "$TAP_DIR/peer.err" "$TAP_DIR/peer/said")"
	;;
esac
done_testing
