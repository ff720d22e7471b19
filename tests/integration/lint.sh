#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# tests/rooms.pl, tests/words.pl and tests/sleeps.pl see what they are to see, each in a small tree with one fault.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

command -v git >/dev/null || skip_all 'there is no git'
plan 18

tree=$TAP_DIR/tree
put() { # FILE, its text from stdin
	mkdir -p "$tree/$(dirname "$1")"
	cat >"$tree/$1"
}

# A tree without a fault: two rooms of sessiond/, the upper of which uses the lower one, and common/.
begin() {
	rm -rf "$tree"
	put CONTRIBUTING.md <<-'END'
		| folder | what lives there | may use |
		|---|---|---|
		| `include/lttngmap/` | installed | libc |
		| `common/` | helpers | `include/lttngmap/` |
		| `sessiond/` | the daemon | `common/` |

		| room | what lives there |
		|---|---|
		| `sessiond/low/` | the lower room |
		| `sessiond/high/` | the higher room |
	END
	put common/help.h <<-'END'
		#ifndef COMMON_HELP_H
		#define COMMON_HELP_H
		#endif
	END
	for room in low high; do
		put sessiond/$room/$room.h <<-END
			#ifndef SESSIOND_${room^^}_${room^^}_H
			#define SESSIOND_${room^^}_${room^^}_H
			int $room(void);
			#endif
		END
	done
	put sessiond/low/low.c <<-'END'
		#include "sessiond/low/low.h"

		#include "common/help.h"

		int low(void)
		{
			return 1;
		}
	END
	put sessiond/high/high.c <<-'END'
		#include "sessiond/high/high.h"

		#include "sessiond/low/low.h"

		int high(void)
		{
			return low();
		}
	END
}

# What rooms.pl says of the tree, with its exit status.
rooms() {
	local source

	(
		cd "$tree" && git init -q . && git add . || exit 9
		for source in $(git ls-files '*.c'); do
			mkdir -p "build/$(dirname "$source")"
			gcc -I . -c "$source" -o "build/${source%.c}.o" || exit 9
		done
		perl "$LTTNGMAP_SRC/tests/rooms.pl" build 2>&1
		echo "status $?"
	)
}

begin
is "$(rooms)" 'status 0' 'a sound tree'

begin
sed -i '2i #include "sessiond/low/low.h"' "$tree/common/help.h"
like "$(rooms)" 'common/help.h: includes sessiond/low/low.h, which common/ may not use.*status 1' \
	'a folder that includes what it may not use'

begin
sed -i '4i #include "sessiond/high/high.h"' "$tree/sessiond/low/low.c"
like "$(rooms)" 'low.c: includes sessiond/high/high.h, of a room above' 'a room that includes a higher one'

begin
sed -i 's/return 1;/extern int high(void);\n\treturn high();/' "$tree/sessiond/low/low.c"
like "$(rooms)" 'low.c: calls high\(\) of sessiond/high/high.c, of a room above' 'a room that calls a higher one'

# circle N: so many files of one room of which each calls the next, and the last the first.
circle() {
	local i

	for ((i = 0; i < $1; i++)); do
		put "sessiond/high/c$i.c" <<<"int f$((i + 1 == $1 ? 0 : i + 1))(void); int f$i(void) { return f$((i + 1 == $1 ? 0 : i + 1))(); }"
	done
}
begin
circle 11
is "$(rooms)" 'status 0' 'eleven files that call each other'
begin
circle 12
like "$(rooms)" '12 files call each other, more than 11: sessiond/high/c0.c ' '  ... twelve are too many'

begin
sed -i '1d' "$tree/sessiond/high/high.c"
echo '#include "sessiond/high/high.h"' >>"$tree/sessiond/high/high.c"
like "$(rooms)" 'high.c: includes "sessiond/low/low.h" before its own header' "another header before a file's own"

begin
sed -i 's/SESSIOND_LOW_LOW_H/LOW_H/' "$tree/sessiond/low/low.h"
like "$(rooms)" 'low.h: its guard is not SESSIOND_LOW_LOW_H' 'a guard of another style'

begin
sed -i 's|"sessiond/low/low.h"|"../low/low.h"|' "$tree/sessiond/high/high.c"
like "$(rooms)" 'high.c: "../low/low.h" is no path from the top' 'an include of another style'

begin
put sessiond/low/clock.c <<-'END'
	#include <time.h>

	static long now_ms(void)
	{
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		return now.tv_sec * 1000;
	}

	long low_time(void)
	{
		return now_ms();
	}
END
like "$(rooms)" 'clock.c: now_ms\(\) is common/base/time.h' 'a second definition of the time'

begin
for i in {1..13}; do put "sessiond/beside$i.c" </dev/null; done
like "$(rooms)" 'sessiond/: 13 .c files beside its rooms, more than 12' 'too many files beside the rooms'
begin
for i in {1..40}; do put "sessiond/low/more$i.h" <<<"$(printf '#ifndef SESSIOND_LOW_MORE%d_H\n#define SESSIOND_LOW_MORE%d_H\n#endif' $i $i)"; done
like "$(rooms)" 'sessiond/low/: 42 files, more than 40' 'too many files in a room'

words() {
	(cd "$tree" && git init -q . && git add . && perl "$LTTNGMAP_SRC/tests/words.pl" "$@"; echo "status $?")
}
begin
for i in {1..19}; do echo "/* What $i is. */ int a$i; /* the spare one */"; done >"$tree/common/words.c"
is "$(words)" "19 openings of comments, 19 words"$'\n''status 0' 'nineteen openings and words'
echo '/* Of all. */' >>"$tree/common/words.c"
is "$(words | tail -1)" 'status 1' '  ... an opening more'
sed -i '$d' "$tree/common/words.c"
echo '/* Its spare. */' >>"$tree/common/words.c"
like "$(words -l)" 'common/words.c:20: spare .reader sub-buffer.*status 1' '  ... a word more, and where it is'

sleeps() {
	(cd "$tree" && git init -q . && git add . && perl "$LTTNGMAP_SRC/tests/sleeps.pl"; echo "status $?")
}
begin
put tests/unit/waits.c <<'END'
void wait_for(int *state)
{
	while (!*state)
		usleep(20000);
	usleep(300000); /* Nothing is to happen. */
	usleep(100);
}
END
put tests/integration/waits.sh <<'END'
for i in 1 2 3; do
	grep -q ready said && break
	sleep 0.1
done
# The promise is a second.
sleep 1
sleep 600 &
END
is "$(sleeps)" 'status 0' 'sleeps in a loop that asks for a state, with a reason, and a pace'
printf 'until grep -q ready said; do sleep 0.1; done\nsleep 0.5\n' >>"$tree/tests/integration/waits.sh"
is "$(sleeps)" $'tests/integration/waits.sh:9: says not why it sleeps: sleep 0.5\nstatus 1' '  ... a script that only sleeps, behind a loop that asked'
begin
rm -r "$tree/tests"
put tests/unit/waits.c <<<$'int main(void)\n{\n\tstart();\n\tusleep(200000);\n}'
like "$(sleeps)" 'waits.c:4: says not why it sleeps: usleep\(200000\);.*status 1' '  ... a program'
