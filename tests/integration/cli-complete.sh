#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# How a command line may go on: what `lttngmap complete` says is what --help says, of every
# verb and option, and bash, zsh and fish complete by it.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/verbs.sh"

export PATH=$LTTNGMAP_BUILD:$PATH
scripts=$LTTNGMAP_SRC/cli/completion

# The candidates, each without what it is.
words() { # WORD...
	lttngmap complete -- "$@" | cut -f1 | sort | xargs
}

mkdir "$TAP_DIR/traced"
printf 'event {\n\tname = "shop:order";\n\tid = 1;\n};\n' >"$TAP_DIR/traced/metadata"
is "$(words view "$TAP_DIR/traced" --event o)" order "an event of the trace's"
is "$(words view "$TAP_DIR/traced" --event=shop:order,sh)" '--event=shop:order,shop:order' '  ... of several'
is "$(words export "$TAP_DIR/traced" -e shop:)" shop:order "  ... and not only for view"

# Somebody else's trace: names that a shell or a terminal would take for more than a name.
mkdir "$TAP_DIR/forged"
python3 - "$TAP_DIR/forged/metadata" <<-'END'
	import sys
	names = ["p:plain", "p:x;touch${IFS}pwned;", "p:x y", "p:$(id)", "p:`id`", "p:a|b", "p:a>b", "p:~", "p:a'b",
	         "p:\u009b31m", "p:\u202etxt", "p:\u00e9", "p:a\\b", "p:\033[31m", "p:{a,b}", "p:a&b", "p:#a", "p:?", "p:!a"]
	open(sys.argv[1], "w").write("".join(f'event {{\n\tname = "{name}";\n}};\n' for name in names))
END
is "$(lttngmap complete -- view "$TAP_DIR/forged" -e '' | od -c)" "$(printf 'p:plain\t\nplain\t\n' | od -c)" \
	'no name with more than plain letters is offered'
# limited WORD...: in 1 GiB of address space, and 20 s. A sanitizer wants address space without a limit.
limit=$((1 << 20))
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || limit=unlimited
limited() {
	(ulimit -v "$limit" && exec timeout 20 lttngmap complete -- "$@") 2>/dev/null
	echo $?
}
mkdir "$TAP_DIR/forged/fifo" "$TAP_DIR/forged/sparse"
mkfifo "$TAP_DIR/forged/fifo/metadata"
is "$(limited view "$TAP_DIR/forged" -e p:p)" p:plain$'\t\n'0 'metadata that is a FIFO is not waited for'
rm "$TAP_DIR/forged/fifo/metadata"
truncate -s 300M "$TAP_DIR/forged/sparse/metadata"
printf '\nname = "p:pages";\n' >>"$TAP_DIR/forged/sparse/metadata"
is "$(limited view "$TAP_DIR/forged" -e p:p)" p:plain$'\t\n'0 'nor is metadata read that is larger than 256 MiB'

if [[ -r /sys/kernel/tracing/available_events ]]; then
	some=$(grep -m 1 '^sched:sched_sw' /sys/kernel/tracing/available_events)
	like " $(words enable --kernel sched:sched_s) " " $some " "the kernel's events for enable --kernel"
	like " $(words record --kernel sched:sched_s) " " $some " '  ... and for record'
	like "$(lttngmap events --kernel)" $'\n'"$some"$'\n' '  ... which events --kernel lists'
else
	skip 3 "the kernel's events are root's to see"
fi

verbs=$(lttngmap help | sed -nE 's/^  ([a-z-]+) .*/\1/p' | sort | xargs)
is "$(words '')" "$verbs" 'the verbs are those of help'
is "$(words rec)" 'record recover' 'those that begin so'
is "$(lttngmap complete -- record)" record$'\t''Run a command and record its events' \
	'and what they do'
is "$(words --)" '--help --version' 'there are options without a verb'
is "$(words nosuch '')" '' 'nothing is known of a verb that is none'
for verb in $verbs; do
	options=$(lttngmap help "$verb" | grep -oE '^  (-[a-zA-Z0-9],| {3}) --[a-z0-9-]+' |
		grep -oE -e '--[a-z0-9-]+' | sort | xargs)
	is "$(words "$verb" --)" "$options" "options of $verb are those of its --help"
done
like "$(words enable-event -)" '--filter' "a verb of LTTng's is ours"

is "$(words record --mode '')" 'blocking discard overwrite' 'words that a value may be'
is "$(words record --mode=d)" '--mode=discard' 'in the same word, too'
is "$(words record --preload libc,io,p)" 'libc,io,proc libc,io,pthread' 'the last of a list'
is "$(words record --preload=libc,p)" '--preload=libc,proc --preload=libc,pthread' \
	'which stands in the same word'
is "$(words view --color a)" 'always auto' 'WHEN'
is "$(words context vt)" 'vtid' 'contexts'
like "$(words enable -l W)" 'WARNING' 'levels'
is "$(words help stat)" status 'verbs again'
is "$(words attach $$)" $$ 'processes'
is "$(lttngmap complete -- view '')" $'\tdirectories\t' 'a trace is a directory'
is "$(lttngmap complete -- record -o '')" $'\tdirectories\t' 'one is written to'
is "$(lttngmap complete -- record --output=x)" $'\tdirectories\t--output=' 'in the same word'
is "$(lttngmap complete -- load '')" $'\tfiles\t' 'a session is loaded from a file'
is "$(lttngmap complete -- record -- ls -)" $'\tcommand\t2' 'a command is its own'
is "$(lttngmap complete -- record -o x ls -)" $'\tcommand\t3' 'without --, too'
is "$(words record --nosuch=)" '' 'an option that is none has no value'
is "$(words record --mode=$'x\ty')" '' 'nor does what is odd'
is "$(lttngmap complete --)" "$(lttngmap complete -- '')" 'no word is an empty one'

# Of the daemon's. None is started.
is "$(words destroy '')" '' 'no daemon, no session'
ok 'none is started' test ! -e "$VERBS_RUNTIME"
lttngmap create shop >/dev/null 2>&1
lttngmap create other >/dev/null 2>&1
is "$(words destroy '')" 'other shop' 'sessions'
is "$(words status -s sh)" shop 'as an option'"'"'s value'
is "$(words status --session=sh)" --session=shop '  in the same word'
lttngmap channel -s shop fast >/dev/null 2>&1
is "$(words enable -s shop -c '')" "$(lttngmap list shop --json |
	grep -oE '"channel": "[^"]*"' | cut -d'"' -f4 | sort | xargs)" 'channels of the session named'
like "$(words enable -s shop -c f)" fast 'the new one is among them'
is "$(words map '')" 'add clear list remove show' 'what a verb may do'
LTTNGMAP_RUNTIME_DIR=$TAP_DIR/none is "$(words destroy --runtime-dir="$VERBS_RUNTIME" '')" \
	'other shop' 'of the daemon that the line names'

# A daemon that says nothing is not waited for. A listener without a word is one.
mkdir -m 0700 "$TAP_DIR/silent"
python3 - "$TAP_DIR/silent/control.sock" <<-'END' &
	import signal, socket, sys
	listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
	listener.bind(sys.argv[1])
	listener.listen(9)
	signal.pause()
END
silent=$!
cleanup kill "$silent"
for ((i = 0; i < 600; i++)); do
	[[ ! -S $TAP_DIR/silent/control.sock ]] || break
	sleep 0.1
done
timeout 60 lttngmap complete -- destroy --runtime-dir="$TAP_DIR/silent" '' >"$TAP_DIR/out" 2>&1
is "$?" $((128 + 14)) 'a daemon that is silent ends it'
is "$(<"$TAP_DIR/out")" '' 'with nothing said'

# ---- the shells ----------------------------------------------------------------

touch "$TAP_DIR/here/afile"
mkdir "$TAP_DIR/here/adir"

bash_says() { # LINE
	bash --norc -c '
		. /usr/share/bash-completion/bash_completion
		. "$1"
		COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9
		# As readline takes a line apart.
		read -ra COMP_WORDS <<<"${2//=/ = }"
		[[ $2 != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		compopt() { :; }
		_lttngmap
		printf "%s\n" "${COMPREPLY[@]}"' bash "$scripts/lttngmap.bash" "$1" | sort | xargs
}
if [[ -r /usr/share/bash-completion/bash_completion ]]; then
	is "$(bash_says 'lttngmap rec')" 'record recover' 'bash: verbs'
	like "$(bash_says 'lttngmap record --sub')" '^--subbuf-size --subbufs$' 'bash: options'
	is "$(bash_says 'lttngmap record --preload=libc,p')" 'libc,proc libc,pthread' \
		'bash: a value behind ='
	is "$(bash_says 'lttngmap view a')" adir 'bash: directories'
	is "$(bash_says 'lttngmap record --output=a')" adir 'bash: behind =, too'
	like "$(bash_says 'lttngmap load a')" 'afile' 'bash: files'
	is "$(bash_says 'lttngmap record -- lttngmap reco')" 'record recover' "bash: a command's own"
	is "$(bash_says 'lttngmap destroy ')" 'other shop' 'bash: sessions'
else
	skip 8 'there is no bash-completion'
fi

fish_says() { # LINE
	HOME=$TAP_DIR/home fish --no-config -c '
		source $argv[1]
		complete -C $argv[2]' "$scripts/lttngmap.fish" "$1" | cut -f1 | sort | xargs
}
if command -v fish >/dev/null; then
	is "$(fish_says 'lttngmap rec')" 'record recover' 'fish: verbs'
	is "$(fish_says 'lttngmap record --sub')" '--subbuf-size --subbufs' 'fish: options'
	is "$(fish_says 'lttngmap record --preload=libc,p')" \
		'--preload=libc,proc --preload=libc,pthread' 'fish: a value behind ='
	is "$(fish_says 'lttngmap view a')" adir/ 'fish: directories'
	is "$(fish_says 'lttngmap record --output=a')" --output=adir/ 'fish: behind =, too'
	like "$(fish_says 'lttngmap load a')" 'afile' 'fish: files'
	is "$(fish_says 'lttngmap record -- lttngmap reco')" 'record recover' "fish: a command's own"
	is "$(fish_says 'lttngmap destroy ')" 'other shop' 'fish: sessions'
else
	skip 8 'there is no fish'
fi

# zsh completes at a terminal only; its own module makes one. What follows the mark is
# what the line has become: "rec" is completed as far as it is the same for all.
zsh_says() { # LINE
	mkdir -p "$TAP_DIR/zsh"
	cp "$scripts/_lttngmap" "$TAP_DIR/zsh/"
	ZDOTDIR=$TAP_DIR/zsh timeout 60 zsh -f "$TAP_DIR/ask.zsh" "$TAP_DIR/zsh" "$1" 2>&1
}
cat >"$TAP_DIR/ask.zsh" <<-'END'
	zmodload zsh/zpty
	zpty shell 'TERM=dumb PS1= zsh -f -i'
	zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; setopt no_beep"
	zpty -w shell "say() { print -r -- '<'\$BUFFER'>' >$1/said; zle kill-whole-line }; zle -N say"
	zpty -w shell "bindkey '^I' complete-word; bindkey '^X' say; zstyle ':completion:*' insert-unambiguous true; : ready; print > $1/ready"
	while [[ ! -e $1/ready ]]; do zpty -r -t shell line || sleep 0.05; done
	rm -f $1/said
	zpty -n -w shell "$2"$'\t\C-x'
	while [[ ! -s $1/said ]]; do zpty -r -t shell line || sleep 0.05; done
	rm $1/ready
	print -r -- "$(<$1/said)"
END
if command -v zsh >/dev/null; then
	is "$(zsh_says 'lttngmap reco')" '<lttngmap reco>' 'zsh: as far as two verbs are alike'
	is "$(zsh_says 'lttngmap recor')" '<lttngmap record >' 'zsh: one verb'
	is "$(zsh_says 'lttngmap record --subbufs')" '<lttngmap record --subbufs >' \
		'zsh: an option'
	is "$(zsh_says 'lttngmap record --preload=libc,pt')" \
		'<lttngmap record --preload=libc,pthread >' 'zsh: a value behind ='
	is "$(zsh_says 'lttngmap view a')" '<lttngmap view adir/>' 'zsh: directories'
	is "$(zsh_says 'lttngmap record --output=a')" '<lttngmap record --output=adir/>' \
		'zsh: behind =, too'
	is "$(zsh_says 'lttngmap record -- lttngmap recor')" \
		'<lttngmap record -- lttngmap record >' "zsh: a command's own"
	is "$(zsh_says 'lttngmap destroy sh')" '<lttngmap destroy shop >' 'zsh: sessions'
else
	skip 8 'there is no zsh'
fi
done_testing
