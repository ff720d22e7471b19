# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# libc-programs.sh - real programs to trace, that fork, vfork, exec, use
# threads, and end in many ways.
#
#   libc_programs_make DIR    make what they work on in DIR, before the others
#   libc_program_names        their names, one a line
#   libc_program_large_names  of those that take their time
#   libc_program NAME         run one, in a process of its own; prints the
#                             same each time
#
# After tap.sh. The shell that calls libc_program is not traced by an LD_PRELOAD that is set
# for it alone: only what it execs is.

libc_programs_make() {
	libc_programs_dir=$1/programs
	mkdir "$libc_programs_dir" || return
	(
		cd "$libc_programs_dir" || exit
		seq 40000 -1 1 >numbers
		cat >script.py <<-'END'
			import collections
			import json
			import re

			words = collections.Counter(re.findall("[a-z]+", json.__doc__.lower()))
			print(len(json.dumps(list(range(20000)))), words.most_common(3))
		END
		printf '#include <stdio.h>\nint main(void)\n{\n\treturn puts("hello") < 0;\n}\n' >hello.c
		cat >threads.cc <<-'END'
			#include <iostream>
			#include <map>
			#include <memory>
			#include <string>
			#include <thread>
			#include <vector>

			struct alignas(128) aligned { char bytes[256]; };
			static std::string global(1000, 'x');

			int main()
			{
				std::vector<std::map<int, std::string>> maps(4);
				std::vector<std::thread> threads;
				size_t total = 0;

				for (int t = 0; t < 4; t++)
					threads.emplace_back([t, &maps] {
						for (int i = 0; i < 5000; i++) {
							maps[t][i % 500] = std::string(i % 300, 'a');
							std::make_unique<aligned>()->bytes[0] = 1;
						}
					});
				for (auto &thread : threads)
					thread.join();
				for (auto &map : maps)
					for (auto &entry : map)
						total += entry.second.size();
				std::cout << total << "\n";
			}
		END
		${LTTNGMAP_CXX:-c++} -std=c++17 -O1 -pthread threads.cc -o threads
		printf 'all: a b c d\na b c d: hello.c\n\tcc -c -o $@.o $<; echo made > $@\n' >Makefile
		git init -q repository
		cd repository || exit
		for i in 1 2 3; do
			echo "$i" >file
			git add file
			git -c user.name=T -c user.email=t@t.example commit -q -m "change $i" \
				--date="2026-01-0${i}T00:00:00Z"
		done
	)
}

libc_program_names() {
	printf '%s\n' true ls python perl shell sort cc git make threads killed crashed
}

libc_program_large_names() {
	printf '%s\n' sort-large
}

# What is in single quotes is for the programs to expand.
# shellcheck disable=SC2016
libc_program() {
	local dir=$libc_programs_dir

	case $1 in
	true) env true ;;
	ls) env ls /usr ;;
	python) env python3 -B "$dir/script.py" ;;
	perl) env perl -e 'my %h; $h{$_} = "x" x $_ for 1..500; print scalar(keys %h), "\n"' ;;
	shell) env bash -c 'for i in 1 2 3 4 5; do x=$(echo $i | cat); done; echo "$x"; exec true' ;;
	sort) env sort -n --parallel=2 -S 1M "$dir/numbers" | md5sum ;;
	sort-large) # 50 MB
		[[ -e $dir/many-numbers ]] || seq 6600000 -1 1 >"$dir/many-numbers"
		env sort -n --parallel=2 -T "$dir" "$dir/many-numbers" | md5sum
		;;
	cc)
		env "${LTTNGMAP_CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -I"$LTTNGMAP_SRC" \
			-I"$LTTNGMAP_SRC/include" -c "$LTTNGMAP_SRC/tests/utils/processes-life.c" \
			-o "$dir/real.o"
		;;
	git) env git -C "$dir/repository" --no-pager log --stat --format=%s ;;
	make) env make -C "$dir" -s -B -j2 ;;
	threads) env "$dir/threads" ;;
	killed) env bash -c 'x=$(seq 100); kill -KILL $$' ;;
	crashed) env bash -c 'ulimit -c 0; x=$(seq 100); kill -SEGV $$' ;;
	esac
}
