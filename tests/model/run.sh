#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The ring holds what its design promises, in every interleaving of two
# writers, a reader and a killer, as far as a small ring shows: see ring.pml;
# and no full sub-buffer stays unread while its reader sleeps: see bell.pml.
. "$LTTNGMAP_SRC/tests/model/check.sh"

# holds NAME FLAGS...: 4 of the 14 a day.
holds() {
	local name=$1

	short_takes 4 14 || return 0
	shift
	if search "$@"; then
		pass "$name"
	else
		fail "$name"
	fi
	diag "$(grep -m1 'states, stored' said || tail -n 5 said)"
	states=$((states + $(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p;T;q' said)))
}
states=0

# What fits for one writer and not for the other; then one that laps the other.
mixed=(-DEVENTS_SMALL=3 -DEVENTS_LARGE=1)
laps=(-DEVENTS_SMALL=1 -DEVENTS_LARGE=3)
even=(-DEVENTS_SMALL=2 -DEVENTS_LARGE=2)
few=(-DEVENTS_SMALL=2 -DEVENTS_LARGE=1)

# And what takes minutes.
more=(-DEVENTS_SMALL=4 -DEVENTS_LARGE=1)

holds 'rseq, discard' "${mixed[@]}"
holds 'rseq, discard: a writer laps the other' "${laps[@]}"
holds 'rseq, discard: the process dies' "${few[@]}" -DDEATH
holds 'rseq, discard: sub-buffers stay while they are read' "${few[@]}" -DSTAYS
holds 'trylock, discard: sub-buffers stay, the process dies' "${few[@]}" -DTRYLOCK -DSTAYS -DDEATH
holds 'rseq, overwrite' "${mixed[@]}" -DOVERWRITE
holds 'rseq, overwrite: a writer laps the other' "${laps[@]}" -DOVERWRITE
holds 'rseq, overwrite: the process dies' "${few[@]}" -DOVERWRITE -DDEATH
holds 'trylock, discard' "${even[@]}" -DTRYLOCK
holds 'trylock, discard: the process dies' "${mixed[@]}" -DTRYLOCK -DDEATH
holds 'trylock, overwrite' "${even[@]}" -DTRYLOCK -DOVERWRITE
holds 'trylock, overwrite: the process dies' "${mixed[@]}" -DTRYLOCK -DOVERWRITE -DDEATH
holds 'rseq, discard: one of two processes dies' -DEVENTS_SMALL=1 -DEVENTS_LARGE=1 -DSHARED -DDEATH
holds 'trylock, overwrite: one of two processes dies' "${few[@]}" -DSHARED -DTRYLOCK -DOVERWRITE \
	-DDEATH
if [[ -n ${LTTNGMAP_SOAK_SECONDS:-} ]]; then
	holds 'rseq, discard: more events' "${more[@]}"
	holds 'rseq, overwrite: more events' "${more[@]}" -DOVERWRITE
	holds 'trylock, overwrite: more events, the process dies' "${more[@]}" -DTRYLOCK -DOVERWRITE \
		-DDEATH
fi
model=bell
if search; then pass 'a bell for who sleeps'; else fail 'a bell for who sleeps'; fi
diag "$(grep -m1 'states, stored' said || tail -n 5 said)"
if search -DDEATH; then pass 'the daemon is killed'; else fail 'the daemon is killed'; fi
diag "$(grep -m1 'states, stored' said || tail -n 5 said)"
figure 24 "$tap_run models of two writers and a reader, $states states, all of them visited," \
	"$tap_failed with an error"
done_testing
