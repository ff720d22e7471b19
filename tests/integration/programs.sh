#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Some 60 programs that do what is hard to trace, or to bear: each prints and returns what it does
# untraced, with all families preloaded. Each counts calls of its own; the trace has as many events.
# The table below is of all of them. What wants large packages, or much time, is in the long form.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"

need_plain
lttngmap=$LTTNGMAP_BUILD/lttngmap
export LTTNGMAP_ALLOW_BLOCKING=1 HOME=$TAP_DIR
unset LD_PRELOAD
# Root's programs may become another user's, who enters no folder of this test.
unset XDG_RUNTIME_DIR
[[ $EUID == 0 ]] || export XDG_RUNTIME_DIR=$TAP_DIR
cd "$TAP_DIR" || exit 1

# ---- the table --------------------------------------------------------------------------------

names=()
declare -A command_of_name=() number_of=() unseen=()
left_out=()

# program NAME SCRIPT: a line of the table, for sh. NUMBER in it stands for a number that no other program has,
# which its calls have: malloc() of so many bytes, close() of a descriptor that is as much below 0, open() of
# /nowhere/NUMBER. It prints `counted CLOSED-OR-OPENED ALLOCATED`.
program() {
	names+=("$1")
	number_of[$1]=$((40001 + 2 * ${#names[@]}))
	command_of_name[$1]=${2//NUMBER/${number_of[$1]}}
}
# outsider NAME FILE SCRIPT: one that nothing can be preloaded into. FILE is what it is named by.
outsider() {
	program "$1" "$3"
	unseen[$1]=all
	left_out+=("$2 (1)")
}
# has PROGRAM: is it there? It is to be, where packages are Debian's: `dev` installs them.
has() {
	command -v "$1" >/dev/null && return
	skip 1 "$1 is not installed"
	return 1
}

flags=(-std=gnu11 -D_GNU_SOURCE -O2 -fno-builtin -w "-I$LTTNGMAP_SRC")
# variant NAME [FLAG...]: the guests, built in another way, as ./guests-NAME.
variant() {
	"${LTTNGMAP_CC:-cc}" "${flags[@]}" "${@:2}" "$LTTNGMAP_SRC"/tests/utils/guests*.c -o "guests-$1" -lpthread \
		2>"variant-$1.log" && return
	skip 1 "there are no guests of $1: $(head -n 1 "variant-$1.log")"
	return 1
}

cp "$LTTNGMAP_PLAIN/tests/utils/guests" "$LTTNGMAP_PLAIN/tests/utils/own-limits" . || exit 1
for guest in work children clone3 exec steps descriptors huge faults uring dontfork contexts handlers altstack stacks \
	destructors; do
	program "$guest" "./guests $guest NUMBER"
done
program threads "./guests threads NUMBER $(short_or 2000 10000)"
program handlers-no-rseq 'GLIBC_TUNABLES=glibc.pthread.rseq=0 ./guests handlers NUMBER'
program children-no-rseq 'GLIBC_TUNABLES=glibc.pthread.rseq=0 ./guests children NUMBER'
program limit-space './own-limits space'
program limit-lock './own-limits lock'

# Libraries. Of thread-local storage that is the program's from its start, there is little.
"${LTTNGMAP_CC:-cc}" -shared -fPIC -o plugin.so -x c - <<'END_C' || bail_out 'no compiler'
#include <stdlib.h>

static __thread char storage[1500] __attribute__((tls_model("initial-exec")));

int give(int value)
{
	storage[value % sizeof(storage)] = (char)value;
	free(malloc(123));
	return value;
}
END_C
"${LTTNGMAP_CC:-cc}" -shared -fPIC -o audit.so -x c - <<'END_C'
unsigned la_version(unsigned version)
{
	return version;
}
END_C
program plugins './guests plugins NUMBER ./plugin.so'
program namespaces './guests namespaces NUMBER ./plugin.so'
program audited 'LD_AUDIT=./audit.so ./guests work NUMBER 100'
program bound 'LD_BIND_NOW=1 ./guests work NUMBER 100'

# Built in other ways, and with other allocators.
ways=(no-pie ubsan tsan asan split)
declare -A flags_of=([no-pie]='-no-pie -fno-pie' [ubsan]=-fsanitize=undefined [tsan]=-fsanitize=thread
	[asan]=-fsanitize=address [split]='-fsplit-stack -fuse-ld=gold')
short_pick 2 "${ways[@]}"
for way in "${picked[@]}"; do
	# shellcheck disable=SC2086 # words
	! variant "$way" ${flags_of[$way]} || program "$way" "./guests-$way work NUMBER 100"
done
for allocator in jemalloc tcmalloc mimalloc; do
	library=$(ldconfig -p | sed -nE "s|.* => (.*/lib$allocator\.so\.[0-9.]+)$|\1|p" | head -n 1)
	if [[ ! $library ]]; then
		skip 1 "lib$allocator is not installed"
		continue
	fi
	! variant "$allocator" -Wl,--no-as-needed "$library" ||
		# tcmalloc hangs by itself in a child that is forked beside threads.
		program "$allocator" "./guests-$allocator threads NUMBER 500 && ./guests-$allocator huge NUMBER"
	# The allocator comes first, and hides malloc() from us alone.
	program "$allocator-first" "LD_PRELOAD=$library:\$LD_PRELOAD ./guests work NUMBER 100"
	unseen[$allocator-first]=blocks
done

# By other programs, in other namespaces, as others.
program address "setarch -R ./guests work NUMBER 100"
program nice 'nice ./guests work NUMBER 100'
program limited 'prlimit --nofile=20:1024 ./guests work NUMBER 100'
program closed './guests work NUMBER 100 <&- 2>&-'
program perl 'perl -e "open F, q(/nowhere/NUMBER) for 1..100; print qx(echo child), qq(counted 100 0\n); exit 7"'
program shell 'for i in 1 2 3; do echo $i | cat | tr 1 2; done; (exit 9)'
program tar 'tar -C /etc -cf - passwd group | gzip -n | gunzip | md5sum'
program killed 'sh -c "kill -KILL \$\$"'
program crashed 'ulimit -c 0; sh -c "kill -SEGV \$\$"'
! has strace || program strace 'strace -f -o strace.log ./guests clone3 NUMBER'
! has unshare || program unshare 'unshare -Ur sh -c "id -u; exec ./guests work NUMBER 100"'
! has bwrap || program bwrap \
	'bwrap --bind / / --dev /dev --proc /proc --unshare-all sh -c "id -u; exec ./guests work NUMBER 100"'
! has sudo || program sudo 'sudo -n id -u'
! has su || program su 'su -s /bin/sh nobody -c "id -u" </dev/null'

# Without our libraries.
"${LTTNGMAP_CC:-cc}" "${flags[@]}" -static -o guests-static "$LTTNGMAP_SRC"/tests/utils/guests*.c -lpthread 2>/dev/null &&
	outsider static guests-static './guests-static work NUMBER 100'
cp guests guests-bare
outsider bare guests-bare 'env -i ./guests-bare work NUMBER 100'
if has musl-gcc; then
	printf '#include <stdio.h>\nint main(void) { return puts("musl") < 0 ? 0 : 7; }\n' >musl.c
	musl-gcc -o guests-musl musl.c && outsider musl guests-musl ./guests-musl
	musl-gcc -static -o guests-bare-c musl.c && outsider musl-static guests-bare-c ./guests-bare-c
fi

# ---- languages, debuggers and services, in the long form ---------------------------------------

add_languages() {
	cat >guests.py <<-'END_PYTHON'
		import asyncio, ctypes, multiprocessing, os, sqlite3, sys
		number = int(sys.argv[1])

		def work(n):
		    library = ctypes.CDLL(None)
		    for i in range(25):
		        library.malloc(number)
		        try:
		            os.close(-number)
		        except OSError:
		            pass
		    return n * n

		async def child():
		    return await (await asyncio.create_subprocess_exec("echo", "child")).wait()

		if __name__ == "__main__":
		    for kind, items in (("fork", range(8)), ("spawn", range(4))):
		        with multiprocessing.get_context(kind).Pool(3) as pool:
		            print(pool.map(work, items, 1), flush=True)
		    print(asyncio.run(child()))
		    print(sqlite3.connect(":memory:").execute("with recursive c(x) as (select 1 union all"
		          " select x + 1 from c where x < 1000) select sum(x) from c").fetchall())
		    print("counted 300 300")
	END_PYTHON
	program python 'PATH=/usr/bin:$PATH python3 -B guests.py NUMBER'
	cat >Guests.java <<-'END_JAVA'
		import java.io.*;
		import java.util.*;
		import java.util.concurrent.*;

		public class Guests {
			static int open(String path) {
				int failed = 0;
				for (int i = 0; i < 25; i++)
					try { new FileInputStream(path); } catch (FileNotFoundException e) { failed++; }
				return failed;
			}
			public static void main(String[] arguments) throws Exception {
				ExecutorService pool = Executors.newFixedThreadPool(4);
				List<Future<Integer>> all = new ArrayList<>();
				int failed = 0;
				for (int i = 0; i < 4; i++)
					all.add(pool.submit(() -> open("/nowhere/" + arguments[0])));
				for (Future<Integer> one : all)
					failed += one.get();
				pool.shutdown();
				Process child = new ProcessBuilder("echo", "child").inheritIO().start();
				System.out.println(child.waitFor() + "\ncounted " + failed + " 0");
				System.exit(3);
			}
		}
	END_JAVA
	! has javac || ! javac Guests.java || program java 'java -cp . Guests NUMBER'
	cat >guests.js <<-'END_JS'
		const { Worker, isMainThread } = require('worker_threads');
		const fs = require('fs');
		let failed = 0;
		for (let i = 0; i < 25; i++)
			try { fs.openSync('/nowhere/' + process.argv[2]); } catch { failed++; }
		if (isMainThread) {
			const workers = [1, 2, 3].map(() => new Promise((done) =>
				new Worker(__filename, { argv: [process.argv[2]] }).on('exit', done)));
			Promise.all(workers).then((ends) => {
				console.log(ends, require('child_process').execSync('echo child').toString());
				console.log(`counted ${failed * 4} 0`);
				process.exit(3);
			});
		}
	END_JS
	! has node || program node 'node guests.js NUMBER'
	# shellcheck disable=SC2016 # for ruby
	! has ruby || program ruby 'ruby -e '\''
		4.times.map { Thread.new { 25.times { begin; File.open("/nowhere/NUMBER"); rescue SystemCallError; end } } }.each(&:join)
		puts `echo child`
		Process.wait fork { exit 3 }
		puts $?.exitstatus, "counted 100 0"'\'
	# shellcheck disable=SC2016 # for php
	! has php || program php 'php -r '\''for ($i = 0; $i < 100; $i++) @fopen("/nowhere/NUMBER", "r");
		echo shell_exec("echo child"), "counted 100 0\n"; exit(3);'\'
	! has erl || program erlang 'erl -noshell -eval '\''[{error, enoent} = file:open("/nowhere/NUMBER", [read]) ||
		_ <- lists:seq(1, 100)], io:format("~scounted 100 0~n", [os:cmd("echo child")]), halt(3).'\'
	add_go
}

add_go() {
	has go || return
	cat >bare.go <<-'END_GO'
		package main

		import (
			"fmt"
			"os/exec"
			"sync"
		)

		func main() {
			var group sync.WaitGroup
			sums := make([]int, 100)
			for i := range sums {
				group.Add(1)
				go func(i int) {
					defer group.Done()
					for j := 0; j < 1000; j++ {
						sums[i] += j
					}
				}(i)
			}
			group.Wait()
			out, err := exec.Command("echo", "child").Output()
			fmt.Println(sums[99], string(out), err)
		}
	END_GO
	cat >cgo.go <<-'END_GO'
		package main

		// #include <stdlib.h>
		// #include <unistd.h>
		import "C"
		import "fmt"

		func main() {
			done := make(chan bool)
			for t := 0; t < 4; t++ {
				go func() {
					for i := 0; i < 250; i++ {
						C.free(C.malloc(NUMBER))
						C.close(-NUMBER)
					}
					done <- true
				}()
			}
			for t := 0; t < 4; t++ {
				<-done
			}
			fmt.Println("counted 1000 1000")
		}
	END_GO
	export GOCACHE=$TAP_DIR/go-cache GOPATH=$TAP_DIR/go-path GO111MODULE=off
	go build -o guests-go bare.go && outsider go guests-go ./guests-go
	program cgo ./guests-cgo
	sed -i "s/NUMBER/${number_of[cgo]}/" cgo.go
	ok 'cgo builds' go build -o guests-cgo cgo.go
}

add_debuggers() {
	"${LTTNGMAP_CC:-cc}" "${flags[@]}" -g -O0 -o guests-debug "$LTTNGMAP_SRC"/tests/utils/guests*.c -lpthread
	if has gdb; then
		printf '%s\n' 'break mark' run 'stepi 3000' delete continue >stepi.gdb
		program gdb-stepi 'gdb -nx -batch -x stepi.gdb --args ./guests-debug work NUMBER 5 2>&1 |
			grep -E "counted|wrong|exited"'
		printf '%s\n' 'set can-use-hw-watchpoints 0' 'break mark' run delete 'watch counts->marks' \
			continue continue delete continue >watch.gdb
		program gdb-watch 'gdb -nx -batch -x watch.gdb --args ./guests-debug work NUMBER 5'
	fi
	if has valgrind; then
		program valgrind 'valgrind -q --tool=none ./guests work NUMBER'
		program valgrind-children 'valgrind -q --tool=none ./guests children NUMBER'
		program valgrind-shell 'valgrind -q --trace-children=no bash -c "./guests exec NUMBER; env true; nice true; exec perl -e 1"'
		# It has a malloc() of its own.
		program memcheck 'valgrind -q ./guests work NUMBER'
		unseen[memcheck]=blocks
	fi
	program strace-children 'strace -f -o strace.log ./guests children NUMBER'
	! has ping || program ping 'ping -c 1 127.0.0.1 | sed "s/[0-9.]* ms//g; /rtt/d"'
	variant 32 -m32 && outsider 32-bit guests-32 './guests-32 work NUMBER 100'
}

add_services() {
	! has git || program git "git -C '$LTTNGMAP_SRC' -c safe.directory=* log --stat -n 50 | md5sum"
	! has redis-server || program redis 'redis-server --port 0 --unixsocket redis.sock --save "" >redis.log &
		until redis-cli -s redis.sock ping; do sleep 0.1; done 2>/dev/null | tail -n 1
		redis-cli -s redis.sock set key value; redis-cli -s redis.sock get key
		redis-cli -s redis.sock shutdown; wait'
	program compiler "'${LTTNGMAP_CC:-cc}' -O2 -D_GNU_SOURCE -I'$LTTNGMAP_SRC' -S -o - '$LTTNGMAP_SRC/tests/utils/guests.c' | md5sum"
}

if is_full; then
	add_languages
	add_debuggers
	add_services
fi

# ---- run, as they are and traced ------------------------------------------------------------------

# run_programs FOLDER: what each prints and returns is there then. This shell is traced, too.
run_programs() {
	local name

	for name in "${names[@]}"; do
		timeout 120 sh -c "${command_of_name[$name]}" >"$1/$name.out" 2>"$1/$name.err" </dev/null
		echo "status $?" >>"$1/$name.out"
	done 2>/dev/null
}
mkdir plain traced
run_programs plain
{
	declare -p names command_of_name
	declare -f run_programs
	echo 'run_programs traced'
} >traced.sh
"$lttngmap" record -o trace --mode blocking --preload libc,io,pthread,dl,proc,syslog -- bash traced.sh >out 2>err
is "$?:$(<out)" 0: "${#names[@]} programs are recorded" || diag "$(<err)"

# What is another one each time: process numbers, and counts of what time decides.
same_text() {
	sed -E '/^counted /d; s/==[0-9]+==/====/; s/(process|LWP|Thread 0x[0-9a-f]+ \(LWP) [0-9]+/\1/' "$1"
}
# Counts of a program's events: closes or opens, and allocations. Another program may happen to allocate as many
# bytes: of allocations those count that a process with such a close makes.
"$lttngmap" view trace -e lttngmap_io:close,lttngmap_io:open,lttngmap_io:openat,lttng_ust_libc:malloc 2>complaints |
	awk 'match($0, / lttngmap_io:close fd=-[0-9]+/) {
			number = substr($0, RSTART + 23, RLENGTH - 23)
			n["c " number]++; closes[$4, number] = 1; next
		}
		match($0, / path="\/nowhere\/[0-9]+"/) { n["c " substr($0, RSTART + 16, RLENGTH - 17)]++; next }
		match($0, / lttng_ust_libc:malloc size=4[0-9][0-9][0-9][0-9] /) { blocks[$4, substr($0, RSTART + 28, 5)]++ }
		END {
			for (k in blocks) if (k in closes) { split(k, of, SUBSEP); n["m " of[2]] += blocks[k] }
			for (k in n) print k, n[k]
		}' >seen
is "$(grep -v 'processes not traced:' complaints)" '' 'the trace is read without a word'
seen() { # KIND NAME
	awk -v kind="$1" -v number="${number_of[$2]}" '$1 == kind && $2 == number { n = $3 } END { print n + 0 }' seen
}
counted() { # FIELD NAME
	awk -v field="$1" '$1 == "counted" { n += $field } END { print n + 0 }' "traced/$2.out"
}

# A handler that interrupts an event of its own thread without rseq may not wait for it: its event is counted as
# lost (doc/design/ring.md).
may_lose=(handlers-no-rseq)
[[ ${LTTNGMAP_TEST_RSEQ:-} != off ]] || may_lose+=(handlers)
missing=0
for name in "${may_lose[@]}"; do
	missing=$((missing + $(counted 2 "$name") - $(seen c "$name")))
done

# judge NAME: prints what is wrong.
judge() {
	local marks blocks

	diff <(same_text "plain/$1.out") <(same_text "traced/$1.out")
	diff <(same_text "plain/$1.err") <(same_text "traced/$1.err")
	marks=$(counted 2 "$1") blocks=$(counted 3 "$1")
	[[ ${unseen[$1]:-} != all ]] || marks=0
	[[ ! ${unseen[$1]:-} ]] || blocks=0
	[[ " ${may_lose[*]} " != *" $1 "* || "$(seen c "$1")" -gt $marks ]] || marks=$(seen c "$1")
	[[ "$(seen c "$1") $(seen m "$1")" == "$marks $blocks" ]] ||
		echo "$(seen c "$1") and $(seen m "$1") events of $marks and $blocks calls"
}
for name in "${names[@]}"; do
	is "$(judge "$name" 2>&1)" '' "$name: as untraced, and all its events"
done
lost=$(sed -nE 's/.*events kept, ([0-9,]+) lost.*/\1/p' err | tr -d ,)
is "$lost" "$missing" 'no event is lost, but those of such handlers' || diag "$(<err)"
# sudo closes what it inherited; the program that it starts may end before anybody looks.
is "$(sed -nE 's/^lttngmap: [0-9]+ process.* not traced: (.*)/\1/p' err | sed 's/, /\n/g' | grep -vx 'id (1)' | sort)" \
	"$(printf '%s\n' "${left_out[@]}" | sort)" 'who cannot be traced is named, and nobody else' || diag "$(<err)"

# ---- services that root starts, and a browser with its sandbox ----------------------------------------

is_full || { done_testing; exit; }
families=libc,io,pthread,dl,proc,syslog
if [[ $EUID == 0 ]]; then
	other=(setpriv "--reuid=${RUN_USER:-nobody}" "--regid=$(id -g "${RUN_USER:-nobody}")" --clear-groups)
	chmod a+x "$TAP_DIR"
fi

# service NAME COMMAND...: recorded, in the background; its first process is $service.
service() {
	"$lttngmap" record -o "$1.trace" --mode blocking --preload "$families" -- "${@:2}" >"$1.out" 2>"$1.err" &
	recorder=$!
}
# all_recorded NAME PID...: its processes, which the kernel knows, and those of the trace.
all_recorded() {
	local name=$1

	shift
	wait "$recorder"
	is $? 0 "$name: ends well" || diag "$(<"$name.err")"
	ok "$name: it has workers" test $# -gt 2
	is "$("$lttngmap" view "$name.trace" 2>/dev/null | awk -v all="$*" '{ seen[$4] = 1 }
		END { n = split(all, pids, " "); for (i = 1; i <= n; i++) if (!(pids[i] in seen)) print pids[i] }')" '' \
		"$name: master and workers, all are recorded" || diag "$(<"$name.err")"
	is "$(grep -c 'not traced' "$name.err")" 0 "$name: nobody is left out" || diag "$(<"$name.err")"
}
children_of() {
	pgrep -P "$1" | tr '\n' ' '
}
answers() { # COMMAND...: within a minute
	local tries

	for ((tries = 0; tries < 600; tries++)); do
		"$@" >answer 2>/dev/null && return
		sleep 0.1
	done
	return 1
}

try_nginx() {
	local master

	cat >nginx.conf <<-END_CONF
		daemon off;
		user ${RUN_USER:-nobody} $(id -gn "${RUN_USER:-nobody}");
		worker_processes 2;
		error_log nginx.log;
		pid nginx.pid;
		events { }
		http {
			access_log off;
			client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
			uwsgi_temp_path uwsgi; scgi_temp_path scgi;
			server { listen unix:$TAP_DIR/nginx.sock; location / { return 200 "hello\n"; } }
		}
	END_CONF
	cat >ask.pl <<-'END_PERL'
		use IO::Socket::UNIX;
		my $socket = IO::Socket::UNIX->new($ARGV[0]) or exit 1;
		print $socket "GET / HTTP/1.0\r\n\r\n";
		my @lines = <$socket>;
		print $lines[-1];
		exit($lines[-1] ne "hello\n");
	END_PERL
	service nginx nginx -p "$TAP_DIR" -c nginx.conf
	ok 'nginx: it answers' answers perl ask.pl "$TAP_DIR/nginx.sock"
	master=$(<nginx.pid)
	# shellcheck disable=SC2046 # words
	set -- "$master" $(children_of "$master")
	kill -QUIT "$master"
	all_recorded nginx "$@"
	shift
	is "$("$lttngmap" query --csv nginx.trace "SELECT DISTINCT uid FROM processes WHERE pid IN ($(tr ' ' , <<<"$*"))" |
		tr -d '\r' | sed 1d)" "$(id -u "${RUN_USER:-nobody}")" 'nginx: its workers are of the user that they became'
}

try_postgres() {
	local programs master user=${RUN_USER:-nobody}

	programs=$(echo /usr/lib/postgresql/*/bin)
	mkdir -m 700 data sockets
	chown "$user" data sockets
	"${other[@]}" "${programs##* }/initdb" -D "$TAP_DIR/data" -A trust --no-sync >initdb.log 2>&1 ||
		{ fail 'postgres: initdb'; diag "$(<initdb.log)"; return; }
	service postgres "${other[@]}" "${programs##* }/postgres" -D "$TAP_DIR/data" -k "$TAP_DIR/sockets" -c listen_addresses=
	ok 'postgres: it answers' answers "${other[@]}" psql -h "$TAP_DIR/sockets" -d postgres -At \
		-c 'select sum(n) from generate_series(1, 1000) n' -c 'select pid from pg_stat_activity'
	is "$(head -n 1 answer)" 500500 '  ... rightly'
	master=$(head -n 1 data/postmaster.pid)
	# shellcheck disable=SC2046 # words
	set -- "$master" $(sed 1d answer)
	kill -INT "$master"
	all_recorded postgres "$@"
}

# Its sandbox is not for root.
try_browser() { # PROGRAM
	local options=(--headless=new --disable-gpu --no-first-run --disable-extensions --disable-background-networking
		--disable-component-update --disable-sync --no-default-browser-check --disable-dev-shm-usage --mute-audio
		--disable-crash-reporter --disable-breakpad --timeout=60000)
	local folder=$TAP_DIR/browser page=$TAP_DIR/browser/page.html times

	mkdir "$folder"
	cat >"$page" <<-'END_HTML'
		<!doctype html><title>page</title><p id="sum"></p><script>
		let sum = 0;
		for (let i = 0; i < 1e5; i++) sum += i;
		document.getElementById('sum').textContent = sum;
		</script>
	END_HTML
	[[ $EUID != 0 ]] || chown -R "${RUN_USER:-nobody}" "$folder"
	browse() {
		rm -rf "$folder"/{profile,trace}
		(cd "$folder" && HOME=$folder XDG_RUNTIME_DIR=$folder LTTNGMAP_MEDIATOR=ring-socket timeout 120 "${other[@]}" \
			"${@:2}" "$1" "${options[@]}" "--user-data-dir=$folder/profile" --dump-dom "file://$page" 2>"$TAP_DIR/browser.err")
	}
	is "$(browse "$1" >untraced; echo $?)" 0 'chromium: untraced'
	like "$(<untraced)" 4999950000 '  ... it shows a page'
	for times in {1..10}; do
		browse "$1" "$lttngmap" record -o trace --mode blocking --preload "$families" -- >traced.html
		is "$?:$(<traced.html)" "0:$(<untraced)" "chromium: the same with all families, $times" || diag "$(<browser.err)"
		like "$(<browser.err)" ' [0-9]+ processes traced, [0-9,]+ events kept' '  ... and recorded'
	done
}

if [[ $EUID == 0 ]]; then
	! has nginx || try_nginx
	if compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null; then try_postgres; else skip 1 'no postgres'; fi
fi
! has chromium || try_browser chromium
done_testing
