#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Services that root starts and that become another user: they, the children that they fork, and
# the programs that these execute are traced. Strangers who find the daemon's socket are not.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap

[[ $(id -u) == 0 ]] || skip_all 'only root becomes another user'
# Nobody is to find the programs and libraries of the build folder.
setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$LTTNGMAP_PLAIN/.libs/liblttngmap.so" ||
	skip_all 'another user cannot enter the build folder'
plan 17

# A master that forks two workers as another user. Each worker runs a program, and a child of its own.
cat >"$TAP_DIR/service.pl" <<'PERL'
use POSIX;
sub work { my @all = map { "x" x $_ } 1 .. 500; return scalar @all }
work();
for my $worker (1, 2) {
	next if fork();
	POSIX::setgid(65534); POSIX::setuid(65534);
	work();
	if (!fork()) { work(); POSIX::_exit(0) }
	wait();
	if (!fork()) { exec("/usr/bin/perl", "-e", "1") or POSIX::_exit(9) }
	wait();
	POSIX::_exit(0);
}
wait(); wait();
PERL

recorded() { # NAME COMMAND...
	local name=$1

	shift
	"$lttngmap" record -o "$TAP_DIR/$name" --preload libc -e 'lttng_ust_libc:*' -- "$@" \
		>"$TAP_DIR/out" 2>"$TAP_DIR/err"
}
users() { # NAME: how many processes of which user have events
	babeltrace2 "$TAP_DIR/$1" 2>/dev/null | sed -nE 's/.*pid = ([0-9]+), uid = ([0-9]+),.*/\2 \1/p' |
		sort -u | awk '{ n[$1]++ } END { for (u in n) printf "%s:%d ", u, n[u] }'
}

recorded service perl "$TAP_DIR/service.pl"
is $? 0 'a service whose workers are of another user is recorded' || diag "$(cat "$TAP_DIR/err")"
is "$(grep -c 'not traced' "$TAP_DIR/err")" 0 'nobody is left out'
# The master, as root; two workers before and after; of each a child, and a program.
like "$(cat "$TAP_DIR/err")" '7 processes traced' 'master, workers, their children and programs are traced' ||
	diag "$(cat "$TAP_DIR/err")"
like "$(users service)" '65534:[4-6]' "the workers' children are traced as who they are" ||
	diag "$(users service)"

# Its child's child is an orphan before it writes its first event.
cat >"$TAP_DIR/orphan.pl" <<'PERL'
pipe(my $reader, my $writer);
if (!fork()) {
	my $parent = $$;
	if (!fork()) {
		select(undef, undef, undef, 0.01) while getppid() == $parent;
		my @all = map { "x" x $_ } 1 .. 500;
		syswrite($writer, "x");
	}
	exit;
}
wait();
sysread($reader, my $done, 1);
PERL
recorded setpriv setpriv --reuid=65534 --regid=65534 --clear-groups perl <"$TAP_DIR/orphan.pl"
is $? 0 'a program that is executed as another user is recorded' || diag "$(cat "$TAP_DIR/err")"
is "$(grep -c 'not traced' "$TAP_DIR/err")" 0 'nobody is left out there'
like "$(users setpriv)" '65534:3' 'it, its child, and an orphan are traced' || diag "$(users setpriv)"

# It becomes another user, and root again, while it is traced. It goes on when what it did before is on disk.
cat >"$TAP_DIR/becomes.c" <<'C'
#include <stdlib.h>
#include <unistd.h>

static void work(size_t size)
{
	for (int i = 0; i < 500; i++) {
		void *volatile block = malloc(size);

		free(block);
	}
}

static void become(uid_t user)
{
	char go;

	/* Its rings are flushed once a second at most. */
	usleep(1100000);
	if (seteuid(user) < 0 || read(0, &go, 1) != 1)
		_exit(1);
}

int main(void)
{
	work(1001);
	become(65534);
	work(2002);
	become(0);
	work(3003);
	return 0;
}
C
"${LTTNGMAP_CC:-cc}" -fno-builtin -o "$TAP_DIR/becomes" "$TAP_DIR/becomes.c" || bail_out 'no compiler'
mkfifo "$TAP_DIR/go-on"
"$lttngmap" record -o "$TAP_DIR/becomes.trace" --preload libc,io -e 'lttng_ust_libc:*' -- "$TAP_DIR/becomes" \
	<"$TAP_DIR/go-on" >"$TAP_DIR/out" 2>"$TAP_DIR/err" &
recorder=$!
exec 9>"$TAP_DIR/go-on"
on_disk() { # SIZE: all its allocations of that size
	[[ $("$lttngmap" view "$TAP_DIR/becomes.trace" -e 'lttng_ust_libc:malloc' 2>/dev/null | grep -c " size=$1 ") == 500 ]]
}
user_in_list() {
	[[ $(LTTNGMAP_RUNTIME_DIR=$private "$lttngmap" list --processes --json | grep -o '"uid": [0-9]*') == "\"uid\": $1" ]]
}
ok 'a process that becomes another user: what it did before is soon on disk' wait_for on_disk 1001
keeper=$(pgrep -P "$recorder" -f lttngmap-sessiond)
private=$(tr '\0' '\n' <"/proc/$(pgrep -P "$recorder" -x becomes)/environ" | sed -n 's/^LTTNGMAP_RUNTIME_DIR=//p')
ok '  ... list has its user of now' wait_for user_in_list 65534
# The next daemon knows who it is.
kill -KILL "$(pgrep -P "$keeper" -f lttngmap-sessiond)"
ok '  ... also that of the restarted daemon' wait_for user_in_list 65534
echo >&9
ok '  ... what it did as that one' wait_for on_disk 2002
echo >&9
wait "$recorder"
is $? 0 '  ... it ends' || diag "$(cat "$TAP_DIR/err")"
exec 9>&-
is "$(babeltrace2 "$TAP_DIR/becomes.trace" 2>/dev/null |
	sed -nE 's/.* lttng_ust_libc:malloc: .*, uid = ([0-9]+),.* size = (1001|2002|3003),.*/\2 by \1/p' |
	sort | uniq -c | awk '{ printf "%s ", $0 }' | tr -s ' ')" ' 500 1001 by 0 500 2002 by 65534 500 3003 by 0 ' \
	'  ... each packet has the user of its time'
is "$("$lttngmap" query --csv "$TAP_DIR/becomes.trace" 'SELECT uid FROM processes' | tr -d '\r' | tail -n 1)" 0 \
	'  ... and query the last one'

magic() { # and the protocol's version
	sed -nE 's/^#define PROTOCOL_APP_(MAGIC|MAJOR) +(UINT32_C[(])?([0-9a-fA-Fx]+).*/\3/p' \
		"$LTTNGMAP_SRC/common/protocol/protocol-app.h" | paste -sd' '
}
# Somebody else, who was told where the socket is.
mkfifo "$TAP_DIR/where" "$TAP_DIR/go"
cat >"$TAP_DIR/tell" <<SH
echo "\$LTTNGMAP_RUNTIME_DIR" >"$TAP_DIR/where"
read -r _ <"$TAP_DIR/go"
SH
recorded stranger bash "$TAP_DIR/tell" &
read -r dir <"$TAP_DIR/where"
# That one alone: what root runs itself may be traced there. It waits: who went away before a slow daemon looks may
# have been a program of the command.
setpriv --reuid=65534 --regid=65534 --clear-groups env "LTTNGMAP_RUNTIME_DIR=$dir" LTTNGMAP_ALLOW_BLOCKING=1 \
	"LD_PRELOAD=$LTTNGMAP_PLAIN/.libs/liblttngmap-libc.so" "LD_LIBRARY_PATH=$LTTNGMAP_PLAIN/.libs" perl -e '1'
# The same user says what no daemon takes: another protocol, another layout, nonsense.
is "$(python3 - "$dir/app.sock" "$(magic)" <<'EOF'
import os, socket, struct, sys
os.setgroups([]), os.setgid(65534), os.setuid(65534)
answers = 0
for major, abi in ((99, 1), (int(sys.argv[2].split()[1]), 99), (0, 0)):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(sys.argv[1])
    body = struct.pack("<HHIQQII16s", abi, 0, 0, 0, 0, 8, 0, b"stranger")
    head = struct.pack("<IHHII", int(sys.argv[2].split()[0], 0), major, 0, 1, 16 + len(body))
    try:
        s.send(head + body if major else b"nonsense" * 10)
        answers += len(s.recv(1000)) > 0
    except ConnectionError:
        pass
print(answers)
EOF
)" 0 'a stranger whose messages are wrong has no answer'
echo >"$TAP_DIR/go"
wait
is "$(users stranger | grep -c 65534:)" 0 'a stranger who knows the socket is not traced'
is "$(grep -cE 'not traced|not served|messages' "$TAP_DIR/err")" 0 'nor named, nor is what it sent' ||
	diag "$(cat "$TAP_DIR/err")"
done_testing
