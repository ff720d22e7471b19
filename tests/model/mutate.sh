#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Every check and every order of the ring is there for a reason: the model
# fails where one is left out. A mutation that survives is a failure here:
# either the model does not see what the check is for, or nothing does.
. "$LTTNGMAP_SRC/tests/model/check.sh"

# dies NAME FLAGS...: 6 of the 28 a day.
dies() {
	local name=$1 status

	short_takes 6 28 || return 0
	shift
	search "$@"
	status=$?
	if ((status == 1)); then
		pass "$name"
	else
		fail "$name"
	fi
	diag "$(grep -m1 '^pan:' said || tail -n 5 said)"
}

mixed=(-DEVENTS_SMALL=3 -DEVENTS_LARGE=1)
far=(-DEVENTS_SMALL=1 -DEVENTS_LARGE=4)

plan $(($(short_or 6 28) + 7))
diag 'the reader'
dies 'a swap that does not look at the sequence number' \
	-DNO_READER_SEQ_CHECK -DOVERWRITE "${mixed[@]}"
dies 'a swap by a store instead of an exchange' -DSWAP_WITHOUT_CAS -DOVERWRITE "${mixed[@]}"
dies 'a swap that leaves no spare' -DSWAP_WITHOUT_SPARE "${mixed[@]}"
dies 'a partial packet given out though it was lapped' -DNO_LAPPED_CHECK -DOVERWRITE "${mixed[@]}"
dies 'the same, looked at before the copy' -DINTACT_BEFORE_COPY -DOVERWRITE "${mixed[@]}"
dies 'a copy made before the position is looked at' -DCOPY_BEFORE_LOOK "${mixed[@]}"
dies 'a part of a sub-buffer that is another one already' -DNO_PARTIAL_SEQ_CHECK -DOVERWRITE "${mixed[@]}"
dies 'a swap of the sub-buffer that is being written' -DSWAP_WHAT_IS_WRITTEN -DOVERWRITE "${mixed[@]}"
dies 'an opening that may be of a later sub-buffer' -DNO_OPENING_RECHECK -DOVERWRITE "${mixed[@]}"
dies 'two words of a commit read without a second look' -DNO_LOOK_RECHECK "${mixed[@]}"
dies 'a count of discards that must not be older than what was told' \
	-DDISCARDS_AS_TOLD -DTRYLOCK "${mixed[@]}"
dies 'a sub-buffer that stays made free before it is read' -DSTAYS -DFREE_BEFORE_COPY "${mixed[@]}"
diag 'the writer'
dies 'a slot taken by a store, discard' -DTAKE_WITHOUT_CAS "${far[@]}"
dies 'a slot taken by a store, overwrite' -DTAKE_WITHOUT_CAS -DOVERWRITE "${mixed[@]}"
dies 'a slot taken back from a later sequence number' -DNO_SLOT_SEQ_CHECK "${far[@]}"
dies 'an unread slot taken in discard mode' -DTAKE_UNREAD "${mixed[@]}"
dies 'a move that does not look at the position again' -DNO_POSITION_RECHECK "${mixed[@]}"
dies 'a move committed before its descriptors, rseq' -DCOMMIT_BEFORE_DESCRIPTOR "${mixed[@]}"
dies 'a move committed before its descriptors, trylock' \
	-DCOMMIT_BEFORE_DESCRIPTOR -DTRYLOCK "${mixed[@]}"
dies 'a record committed before its fields, rseq' -DCOMMIT_BEFORE_COPY "${mixed[@]}"
dies 'a record committed before its fields, trylock' -DCOMMIT_BEFORE_COPY -DTRYLOCK "${mixed[@]}"
dies 'a commit in two stores' -DTWO_STORES -DTRYLOCK "${mixed[@]}"
dies 'a position before its timestamp' -DTWO_STORES "${mixed[@]}"
dies 'a sub-buffer filled to its very end' -DNO_TAIL "${mixed[@]}"
dies 'a sub-buffer opened before it is taken' -DOPEN_BEFORE_TAKE -DOVERWRITE "${mixed[@]}"
dies 'a lock let go before the commit' -DUNLOCK_BEFORE_COMMIT -DTRYLOCK "${mixed[@]}"
diag 'the kernel, and the lock'
dies 'sections that are not aborted' -DNO_ABORT "${mixed[@]}"
dies 'trylock without a lock' -DNO_LOCK -DTRYLOCK "${mixed[@]}"
diag 'the bell'
model=bell
# The searches are short: all, each day.
rings() {
	if search "${@:2}"; (($? == 1)); then pass "$1"; else fail "$1"; fi
	diag "$(grep -m1 '^pan:' said || tail -n 5 said)"
}
rings 'a writer that looks for a sleeper before it publishes' -DWRITER_LOOKS_FIRST
rings 'a writer without a barrier' -DNO_WRITER_BARRIER
rings 'a reader without a barrier' -DNO_READER_BARRIER
rings 'a reader that looks before it says that it sleeps' -DLOOK_BEFORE_WORD
rings 'a reader that does not say so' -DNO_CLEARING
rings 'a bell taken after the look' -DBELL_TAKEN_LATE
rings 'a word that the saved state knows of later' -DDEATH -DWORD_BEFORE_SAVED
figure 24 "$tap_run checks and orders taken out of the model, $tap_failed not noticed"
done_testing
