# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Java programs written for LTTng's agents, of java.util.logging and log4j, are recorded as they are: by the rules that
# LTTng's commands make of names and levels of loggers, each field the same. In its long form the same classes are run with
# LTTng's own jars, too (log4j 2 has none in Debian 12).
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
need_plain
jar=$LTTNGMAP_PLAIN/java/lttngmap-agent.jar
if [[ ! -e $jar ]]; then
	command -v javac >/dev/null && [[ -e /usr/share/java/log4j-core.jar && -e /usr/share/java/log4j-1.2.jar ]] ||
		skip_all 'there is no javac, or no log4j'
	bail_out 'javac and log4j are there, but configure was not run since: ./dev build does'
fi

sources=$LTTNGMAP_SRC/tests/lttng
mkdir "$TAP_DIR/bin" "$TAP_DIR/peer" "$TAP_DIR/classes"
ln -s "$LTTNGMAP_SRC/cli/lttng" "$TAP_DIR/bin/lttng"
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LTTNGMAP_COMMAND=$LTTNGMAP_BUILD/lttngmap LTTNG_HOME=$TAP_DIR/home
export LTTNGMAP_REGISTER_TIMEOUT=5000
path=$PATH
PATH=$TAP_DIR/bin:$PATH
jars=/usr/share/java/log4j-1.2.jar:/usr/share/java/log4j-api.jar:/usr/share/java/log4j-core.jar
# The smallest of its machines starts soonest.
run=(java -XX:TieredStopAtLevel=1 -Djava.library.path="$LTTNGMAP_PLAIN/.libs"
	-cp "$TAP_DIR/classes:$jar:$jars:$sources")
cd "$sources" || exit 1

# compile FILE...
compile() { javac -encoding UTF-8 -d "$TAP_DIR/classes" -cp "$jar:$jars" "$@" >"$TAP_DIR/javac" 2>&1; }
ok 'the programs compile' compile Jul.java Log4j.java Log4j2.java || diag "$(<"$TAP_DIR/javac")"

sessiond_start
for name in jul log4j log4j2; do
	mkdir "$TAP_DIR/$name"
	"$BASH" loggers.sh "$TAP_DIR/$name" "$name.txt" "${run[@]}" "${name^}" >"$TAP_DIR/$name.txt" 2>"$TAP_DIR/err"
	ok "$name: LTTng's events, each field the same, by names, levels and filters" \
		diff "$name.expected" "$TAP_DIR/$name.txt" || diag "$(tail -20 "$TAP_DIR/$name/said")"
done

# ---- texts, a daemon that comes later, a handler's own level --------------------------------

cat >"$TAP_DIR/Odd.java" <<'END'
import java.util.logging.*;
import org.lttng.ust.agent.jul.LttngLogHandler;
import org.lttng.ust.agent.context.ContextInfoManager;

public final class Odd {
	@SuppressWarnings("deprecation")
	public static void main(String[] arguments) throws Exception {
		Logger log = Logger.getLogger("odd");
		LttngLogHandler handler = new LttngLogHandler();
		log.setUseParentHandlers(false);
		log.addHandler(handler);
		System.out.println("started");
		// Until a daemon's session takes it; what is off costs nothing, and is not formatted.
		Object counted = new Object() {
			@Override
			public String toString() {
				System.out.println("formatted");
				return "counted";
			}
		};
		while (System.in.available() == 0) {
			log.log(Level.INFO, "{0}", counted);
			Thread.sleep(10);
		}
		String wide = "\ud83d\ude00";
		log.info(wide + "|\ud800|");
		log.info((String) null);
		log.info("a\0b");
		log.info("y".repeat(255) + wide + "z".repeat(9000));
		log.logp(Level.INFO, "n".repeat(9000), "method", "long name");
		handler.setLevel(Level.WARNING);
		log.info("not for the level of the handler");
		System.out.println(handler.getEventCount());
		ContextInfoManager contexts = ContextInfoManager.getInstance();
		System.out.println(contexts.registerContextInfoRetriever("a", key -> key)
				+ " " + contexts.registerContextInfoRetriever("a", key -> key)
				+ " " + contexts.unregisterContextInfoRetriever("a"));
		org.lttng.ust.agent.LTTngAgent agent = org.lttng.ust.agent.LTTngAgent.getLTTngAgent();
		Logger.getLogger("old").severe("the older interface");
		org.apache.log4j.Logger.getLogger("old").fatal("of log4j, too");
		agent.dispose();
		Logger.getLogger("old").severe("no more");
	}
}
END
ok 'another compiles' compile "$TAP_DIR/Odd.java" || diag "$(<"$TAP_DIR/javac")"
sessiond_stop
mkfifo "$TAP_DIR/in"
"${run[@]}" Odd <"$TAP_DIR/in" >"$TAP_DIR/said" 2>"$TAP_DIR/err" &
program=$!
exec {in}>"$TAP_DIR/in"
wait_for grep -q started "$TAP_DIR/said"
is "$(<"$TAP_DIR/said")" started 'nothing is formatted without a session'
sessiond_start
lttng create late --output="$TAP_DIR/late" >/dev/null
lttng enable-event -j -a >/dev/null
lttng enable-event -l -a >/dev/null
lttng start >/dev/null
ok 'a daemon that starts later records it' wait_for grep -q formatted "$TAP_DIR/said"
echo >&"$in"
exec {in}>&-
wait "$program"
is "$?" 0 'the program ends well' || diag "$(tail -5 "$TAP_DIR/err")"
lttng stop >/dev/null
lttng destroy >/dev/null
babeltrace2 --no-delta "$TAP_DIR/late" >"$TAP_DIR/text"
is "$(grep -v formatted "$TAP_DIR/said" | sed 1d | sed 's/^[0-9]*$/N/')" $'N\ntrue false true' 'its output'
is "$(grep -vc 'msg = "counted"' "$TAP_DIR/text")" 7 'each message is an event'
messages() { sed -nE 's/.*msg = "(.*)", logger_name = "odd".*/\1/p' "$TAP_DIR/text" | grep -v '^counted$'; }
is "$(messages | head -3)" $'\U1F600|\uFFFD|\n(null)\na' 'messages are UTF-8; none, and a NUL, are no harm'
like "$(messages | sed -n 4p)" "^y{255}"$'\U1F600'"z{2000,3800}\$" 'a long message is cut'
like "$(grep 'long name' "$TAP_DIR/text")" 'class_name = "n{511}", method_name = "method"' '  ... a long name, too, and the others are whole'
like "$(grep '"old"' "$TAP_DIR/text")" 'lttng_jul:event.*the older interface.*lttng_log4j:event.*of log4j, too' 'the older interface'
sessiond_stop
"${run[@]}" -Djava.library.path=/nowhere Odd <<<x >"$TAP_DIR/said" 2>&1
like "$?: $(<"$TAP_DIR/said")" '0: started.0.true false true' 'without the library, a program does the same'

# What no rule takes is not formatted, nor is it found out where it was logged: the rule's names come first.
cat >"$TAP_DIR/Quiet.java" <<'END'
import java.util.logging.*;

public final class Quiet {
	static int formatted;

	@Override
	public String toString() {
		formatted++;
		return "counted";
	}

	public static void main(String[] arguments) throws Exception {
		Logger taken = Logger.getLogger("taken"), other = Logger.getLogger("other");
		Logger.getLogger("").addHandler(new org.lttng.ust.agent.jul.LttngLogHandler());
		Logger.getLogger("").getHandlers()[0].setLevel(Level.OFF);
		// The first event in a channel has to go on in any case.
		taken.log(Level.WARNING, "{0}", new Quiet());
		for (int i = 0; i < 100; i++) {
			other.log(Level.WARNING, "{0}", new Quiet());
			taken.log(Level.INFO, "{0}", new Quiet());
		}
		System.out.println(formatted);
	}
}
END
ok 'one more compiles' compile "$TAP_DIR/Quiet.java" || diag "$(<"$TAP_DIR/javac")"
is "$("$LTTNGMAP_BUILD/lttngmap" record -q -o "$TAP_DIR/quiet" --preload none -e lttng_jul:event \
	--filter 'logger_name == "taken" && int_loglevel >= 900 && msg != "x"' -- "${run[@]}" Quiet 2>"$TAP_DIR/err")" 1 \
	'what the rule does not take is not formatted'
is "$(babeltrace2 "$TAP_DIR/quiet" | grep -c lttng_jul)" 1 '  ... and the rest is recorded'

# ---- beside LTTng ---------------------------------------------------------------------

for name in jul log4j; do
	if [[ ${LTTNGMAP_TEST_FULL:-0} != 1 ]]; then
		skip 1 "the long form asks LTTng: $name.expected is what version 2.13.5 made of it"
		continue
	fi
	rm -rf "$TAP_DIR/peer"
	cp -r "$TAP_DIR/classes" "$TAP_DIR/peer"
	PATH=$path "$BASH" "$sources/peer.sh" "$sources" "$name" "$TAP_DIR/peer" >"$TAP_DIR/theirs" 2>"$TAP_DIR/peer.err"
	case $? in
	77) skip 1 "LTTng's agent is not installed: $name.expected is what version 2.13.5 made of it" ;;
	0) ok "$name: LTTng records these events" diff "$name.expected" "$TAP_DIR/theirs" ;;
	*)
		fail "${name^} under LTTng"
		diag "$(tail -5 "$TAP_DIR/peer.err" "$TAP_DIR/peer/said")"
		;;
	esac
done
done_testing
