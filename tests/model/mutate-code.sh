#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Every check in the code of the ring is there for a reason: one that is taken
# out makes a unit test fail. The orders of what is done, which no test can
# see on this machine, are mutate.sh's, by the model. What no test notices is in
# doc/design/reliability.md.
#
# In `check` one of $every, another one each day (short.sh); all of them where
# it is full; of these only those whose name matches
# LTTNGMAP_TEST_MUTANTS, where that is set.
. "$LTTNGMAP_SRC/tests/utils/tap.sh" || exit 1
. "$LTTNGMAP_SRC/tests/utils/short.sh"

: "${LTTNGMAP_CC:=cc}"
every=16

[[ ${LTTNGMAP_TEST_RSEQ:-on} != off ]] || skip_all 'without restartable sequences half of it is not run'
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || skip_all 'the code is compiled here, without sanitizers'

tree=$TAP_DIR/tree
mkdir "$tree" "$TAP_DIR/objects"
for room in include common liblttngmap sessiond tests/utils tests/unit; do
	mkdir -p "$tree/$room"
	cp -r "$LTTNGMAP_SRC/$room/." "$tree/$room"
done

compile() { # SOURCE OBJECT
	"$LTTNGMAP_CC" -O1 -w -D_GNU_SOURCE -I"$LTTNGMAP_BUILD" -I"$tree/include" -I"$tree" \
		-c -o "$2" "$tree/$1"
}

# built TEST OBJECT...: of the tree, the other objects before the libraries'.
built() {
	local test=$1

	shift
	compile "tests/unit/$test.c" "$TAP_DIR/objects/$test.o" &&
		compile tests/utils/ring-bench-set.c "$TAP_DIR/objects/bench.o" &&
		"$LTTNGMAP_BUILD/libtool" --silent --tag=CC --mode=link "$LTTNGMAP_CC" \
			-o "$TAP_DIR/$test" "$TAP_DIR/objects/$test.o" "$TAP_DIR/objects/bench.o" "$@" \
			"$LTTNGMAP_BUILD/libsessiond.la" "$LTTNGMAP_BUILD/liblttngmap-core.la" -lpthread
}

# run TEST: sets $outcome: passed, found (a test says so), crashed, or hung.
run() {
	timeout 240 "$TAP_DIR/$1" >"$TAP_DIR/said" 2>&1
	case $? in
	0) outcome=passed ;;
	# timeout's, or the test's own alarm clock.
	124 | 137 | 142) outcome=hung ;;
	*) if grep -q '^not ok' "$TAP_DIR/said"; then outcome=found; else outcome=crashed; fi ;;
	esac
}

# Mutants that end the test, or keep it from ending, before one of its lines can say so:
# each was looked at, and what it does is what the check is there to prevent.
declare -A judged=(
	# A writer that never finds its table right tries for ever.
	['trylock: a table that never fits']=hung
	# A view is looked for where no pages are.
	['fast: no process']=crashed
	# The reader takes a descriptor from where no memory is.
	['reader: an id outside of the ring']=crashed
)

declare -A is_good=()

# need_good TEST: without a change it passes: else a failure would say nothing.
need_good() {
	[[ -z ${is_good[$1]:-} ]] || return 0
	built "$1" || bail_out "$1 cannot be built"
	run "$1"
	[[ $outcome == passed ]] || bail_out "$1 $outcome as it is: $(<"$TAP_DIR/said")"
	is_good[$1]=1
}

nr=0
today=$((short_seed % every))
ran=0

# dies NAME FILE TEST SCRIPT: the test fails where perl's SCRIPT has changed the file.
dies() {
	local name=$1 file=$2 test=$3 script=$4 sources=() objects=() source

	[[ $name =~ ${LTTNGMAP_TEST_MUTANTS:-.} ]] || return 0
	((nr++ % every == today)) || is_full || return 0
	ran=$((ran + 1))
	need_good "$test"
	perl -0pe "$script" "$LTTNGMAP_SRC/$file" >"$tree/$file"
	if cmp -s "$LTTNGMAP_SRC/$file" "$tree/$file"; then
		fail "$name: is not in $file any more"
		return
	fi
	case $file in
	*.h) sources=(liblttngmap/ring-write.c liblttngmap/ring-trylock.c liblttngmap/ring-switch.c) ;;
	*) sources=("$file") ;;
	esac
	for source in "${sources[@]}"; do
		objects+=("$TAP_DIR/objects/$(basename "$source" .c)-mutant.o")
		compile "$source" "${objects[-1]}" || bail_out "$name: $source is not C any more"
	done
	built "$test" "${objects[@]}" || bail_out "$name: $test cannot be linked"
	run "$test"
	case $outcome in
	passed) fail "$name: $test does not see it" ;;
	found) pass "$name" && diag "$test: $(grep -m1 '^not ok' "$TAP_DIR/said")" ;;
	"${judged[$name]:-}") pass "$name ($test $outcome, as was judged)" ;;
	*) fail "$name: $test $outcome, which says nothing of why: judge it" ;;
	esac
	cp "$LTTNGMAP_SRC/$file" "$tree/$file"
}

# ---- writers
rseq=liblttngmap/ring-rseq.h
dies 'rseq: the CPU' $rseq ring-section 's/("cmpl %%eax, %%fs[^\n]*\n)\s*"jne [^\n]*\n/$1/'
dies 'rseq: the generation' $rseq ring-section 's/("cmpl %%eax, %c\[generation\][^\n]*\n)\s*"jne [^"\n]*\\n\\t"/$1 ""/'
dies 'rseq: a child that was forked' $rseq ring-fork 's/"jz %l\[stale\]\\n\\t"/""/'
dies 'rseq: a copied view in a child that was forked' $rseq ring-section 's/("cmpq %%rax, %c\[epoch\][^\n]*\n)\s*"jne [^"\n]*\\n\\t"/$1 ""/'
dies 'rseq: room' $rseq ring-edges 's/"ja %l\[full\]\\n\\t"/""/'
dies 'rseq: a clock behind the last event' $rseq ring-section 's/"js %l\[full\]\\n\\t"/""/'
dies 'rseq: a sub-buffer that is open for long' $rseq ring-edges 's/"jne %l\[full\]\\n\\t"/""/'
dies 'rseq: the carry of the count' $rseq ring-section 's/"adcq \$0, %%r11\\n\\t"/""/'
dies 'rseq: the position of a move' $rseq ring-section 's/("cmpq %c\[expected\][^\n]*\n)\s*"jne [^\n]*\n/$1/'

dies 'rseq: a sub-buffer that the ring does not have' $rseq ring-section 's/"jg %l\[full\]\\n\\t"/""/'

fast=liblttngmap/event-fast.c
dies 'fast: no process' $fast event-fast 's/"jz event_fast_leave\\n\\t"(\s*\\\n\s*"andq)/""$1/'
dies 'fast: no channel' $fast event-fast 's/"jz event_fast_leave\\n\\t"(\s*\\\n\s*"subq)/""$1/'
dies 'fast: the word of another daemon' $fast event-fast 's/"jae event_fast_leave\\n\\t"(\s*\\\n\s*"shrl)/""$1/'
dies 'fast: several channels' $fast event-fast 's/"jne event_fast_leave\\n\\t"(\s*\\\n\s*"movq event_fast_rseq)/""$1/'
dies 'fast: the CPU' $fast event-fast 's/"jae " OTHERWISE "\\n\\t"/""/'
dies 'fast: the generation' $fast event-fast 's/("cmpl \(%%r9\), %%eax[^\n]*\n\s*)"jne event_fast_leave\\n\\t"/$1""/'
dies 'fast: room' $fast event-fast 's/"ja event_fast_leave\\n\\t"(\s*\\\n\s*"movl %c\[subbuf)/""$1/'
dies 'fast: a clock behind the last event' $fast event-fast 's/"js event_fast_leave\\n\\t"/""/'
dies 'fast: a sub-buffer that is open for long' $fast event-fast 's/"jne event_fast_leave\\n\\t"(\s*\\\n\s*"shlq \$16, %%rax)/""$1/'
dies 'fast: the carry of the count' $fast event-fast 's/"jc event_fast_leave\\n\\t"/""/'
dies 'fast: too large' $fast event-fast 's/"ja event_write_general\\n\\t"/""/'
dies 'fast: too large with vtid and ip' $fast event-fast 's/"ja event_fast_leave\\n\\t" \/\*/"" \/*/'
dies 'fast: the id of a thread of the parent' $fast event-fast 's/"jne event_fast_leave\\n\\t" FIND_PLACE/FIND_PLACE/'
dies 'fast: the child of a vfork' $fast event-fast 's/ \|\| vfork_depth//'
dies 'fast: a process without rseq' $fast event-fast 's/ \|\| !local->use_rseq//'
dies 'fast: room for what is stored behind' liblttngmap/ring.h event-fast 's/#define RING_FAST_TAIL 24/#define RING_FAST_TAIL 8/'

lock=liblttngmap/ring-trylock.c
dies 'trylock: the lock' $lock ring-section 's/return !__atomic_load_n\(&lock->holder.*?RELAXED\);\n}/return true;\n}/s'
dies 'trylock: no unlock' $lock ring-section 's/__atomic_store_n\(&lock->holder, 0[^\n]*\n//'
dies 'trylock: the mark stays' $lock ring-section 's/mark_ring\(ring, 0\);//'
dies 'trylock: the generation' $lock ring-section 's/if \(__atomic_load_n\(channel->control_generation[^{;]*==\s*channel->generation\)/if (1)/'
dies 'trylock: a child before the lock' $lock ring-section 's/if \(local_is_forked\(local, epoch\)\)/if (0)/'
dies 'trylock: an old commit that a child put back' $lock ring-fork 's/word0 = lock->commit\[0\];\n\t\tword1 = lock->commit\[1\];/word0 = ring->commit[0];\n\t\tword1 = ring->commit[1];/'
dies 'trylock: room' $lock ring-edges 's/ &&\n\s*\(position & channel->offset_mask\) \+ record->total <= channel->offset_limit//'
dies 'trylock: the clock' $lock ring-edges 's/ring_clock_fits\(ring, [^\n]*&now\) &&/1 \&\&/'
dies 'trylock: the carry of the count' $lock ring-section 's/ \+ \(word0 \+ record->step < word0\)//'
dies 'trylock: a table that never fits' $lock ring-edges 's/if \(tries\+\+ == TRIES_MAX\)/if (0)/'

ring=liblttngmap/ring.h
dies 'clock: behind the last event' $ring ring-section 's/\*now \+= LTTNGMAP_TIMESTAMP_MASK \+ 1 - ahead;//'
dies 'clock: a sub-buffer that is open for long' $ring ring-edges 's/ &&\n\s*\*now - __atomic_load_n\(&ring->opened[^;]*;/;/'

dies 'trylock: a sub-buffer that the ring does not have' $lock ring-section 's/if \(!ring_has_subbuf\(channel, id\)\)/if (0)/'

switch=liblttngmap/ring-switch.c
dies 'switch: a sub-buffer that the ring does not have' $switch ring-section 's/if \(!ring_has_subbuf\(channel, \*id\)\)/if (0)/'
dies 'switch: room' $switch ring-section 's/if \(fits && [^\n]*\n\s*return RING_AGAIN;//'
dies 'switch: the first event' $switch ring-edges 's/if \(!word0 && !word1\)/if (0)/'
dies 'switch: the position ends' $switch ring-edges 's/if \(q == LTTNGMAP_POSITION_MASK >> [^\n]*\n\s*return RING_ENDED;//'
dies 'switch: a slot that an aborted writer took' $switch ring-edges 's/if \(state == LTTNGMAP_SLOT_WRITING && seq == next\)\n\s*return RING_WRITTEN;//'
dies 'switch: an unread slot' $switch ring-edges 's/if \(state == LTTNGMAP_SLOT_WRITING && channel->mode [^\n]*\n\s*return RING_FULL;//'

# ---- the reader
reader=sessiond/ring-reader.c
take=sessiond/ring-take.c
dies 'reader: the position is beyond the end' $reader ring-hostile 's/if \(\(commit->position & \(ring_subbuf_size\(reader\) - 1\)\) >\n[^\n]*TAIL\)/if (0)/'
dies 'reader: discards go back' $reader ring-hostile 's/if \(commit->discards < reader->account.discarded\)/if (0)/'
dies 'reader: a base of a later switch' $reader ring-edges 's/\(uint64_t\)\(int32_t\)\(commit/(uint64_t)(uint32_t)(commit/'
dies 'reader: more events than fit below the position' $reader ring-hostile 's/ &&\n\s*written <= commit->position \/ LTTNGMAP_RECORD_HEADER_SIZE//'
dies 'reader: a slot of a later sub-buffer' $take ring-edges 's/if \(lttngmap_slot_seq\(old\) > seq\)/if (0)/'
dies 'reader: a slot of another sub-buffer' $take ring-hostile 's/lttngmap_slot_seq\(old\) != seq \|\|//'
dies 'reader: a slot that nobody writes' $take ring-hostile 's/lttngmap_slot_state\(old, index\) != LTTNGMAP_SLOT_WRITING \|\|//'
dies 'reader: an id outside of the ring' $take ring-hostile 's/ \|\|\n\s*\*id > ring_subbufs\(reader\)//'
dies 'reader: a descriptor of another sub-buffer' $take ring-hostile 's/if \(opened->seq != stretch->seq\)/if (0)/'
dies 'reader: the clock goes back' $take ring-hostile 's/if \(opened->begin < reader->end && !ring_reader_went_back\(reader, opened->begin\)\)/if (0)/'
dies 'reader: events go back' $take ring-hostile 's/opened->events_begin < reader->events \|\|//'
dies 'reader: events that nobody overwrote' $take ring-hostile 's/ \|\|\n\s*\(opened->events_begin > reader->events &&\n[^\n]*\)\)/)/'
dies 'reader: a content larger than a sub-buffer' $take ring-hostile 's/ \|\|\s+stretch->to > ring_subbuf_size\(reader\) - LTTNGMAP_SUBBUF_TAIL//'
dies 'reader: a content smaller than what was read' $take ring-hostile 's/stretch->to < stretch->from \|\|\s+//'
dies 'reader: more events than fit' $take ring-hostile 's/events > \(stretch->to - stretch->from\) \/ LTTNGMAP_RECORD_HEADER_SIZE \|\|//'
dies 'reader: a content without events' $take ring-hostile 's/ \|\|\n\s*\(events == 0\) != \(stretch->to == stretch->from\)//'
dies 'reader: an end before the begin' $take ring-hostile 's/stretch->end < stretch->opened.begin \|\| //'
dies 'reader: an end in the future' $take ring-hostile 's/ \|\| stretch->end > latest//'
dies 'reader: discards of a full sub-buffer go back' $take ring-hostile 's/if \(stretch->discards < reader->discards_full\)/if (0)/'
dies 'reader: discards told before are not taken back' $take ring-edges 's/if \(stretch->discards > reader->discards\)\n//'
dies 'reader: a current slot of another sub-buffer' $take ring-hostile 's/lttngmap_slot_seq\(entry\) != reader->seq \|\|//'
dies 'reader: a current id outside of the ring' $take ring-hostile 's/ \|\|\n\s*stretch\.id > ring_subbufs\(reader\)//'
dies 'reader: a partial packet that is lapped' $take ring-edges 's/lttngmap_slot_seq\(ring_load\(lttngmap_ring_slots\(reader->ring\) \+ index\)\) == held->seq/1/'
dies 'reader: a packet that may be lapped says so' $take ring-edges 's/packet->flags \|= LTTNGMAP_PACKET_VOLATILE;/;/'
dies 'reader: a frozen ring stays' $reader ring-edges 's/if \(reader->frozen\) \{/if (0) {/'
dies 'reader: a mark beyond what can be unread' $reader ring-rotation 's/if \(reader->geometry->mode != LTTNGMAP_MODE_OVERWRITE && reader->mark > most\)/if (0)/'

# ---- its other life
undo=sessiond/ring-undo.c
dies 'life: the copy' $undo ring-lives 's/\*reader = undo->before;//'
dies 'life: the exchange that was made' $undo ring-lives 's/if \(undo->swapping\) \{/if (0) {/'

((ran > 0)) || bail_out 'nothing was tried'
figure 24 "$ran of $nr checks of the code taken out, $tap_failed not noticed"
done_testing
