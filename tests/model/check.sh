# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# check.sh - ring.pml and bell.pml through spin; what run.sh and mutate.sh share.
#
# Each search is complete: no bit-state hashing, and one that reaches a limit
# of depth or memory is an error.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"

: "${LTTNGMAP_CC:=cc}"
# The model knows nothing of the machine: once a round of tests is enough.
[[ ${LTTNGMAP_TEST_RSEQ:-on} != off ]] ||
	skip_all 'the model is the same with and without restartable sequences'
command -v spin >/dev/null || skip_all 'spin is not installed: it is in the package of that name'
cd "$TAP_DIR" || exit 1

model=ring
# search FLAGS...: of $model. 0: all states hold; 1: an assertion fails; 2: it cannot be said.
# What spin says is in the file `said`.
search() {
	rm -f pan pan.*
	spin -a "$@" "$LTTNGMAP_SRC/tests/model/$model.pml" >said 2>&1 &&
		"$LTTNGMAP_CC" -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=2000 -o pan pan.c >>said 2>&1 &&
		./pan -m100000 -n >said 2>&1 || return 2
	! grep -q '^pan:.*\(assertion violated\|invalid end state\)' said || return 1
	grep -q 'errors: 0' said && ! grep -q 'max search depth\|Search not completed' said || return 2
}
