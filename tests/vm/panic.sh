#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# panic.sh BUILD PACKAGE... - a machine dies of a panic under load, again and again; what was
# committed before is in the traces that `lttngmap recover` makes after each restart.
# Some of the machine's memory is persistent (memmap=): it is there after a reset.
#
#   LTTNGMAP_VM_PANICS    how many of each kernel, instead of 20
#   LTTNGMAP_VM_SECONDS   what one kernel may take, instead of 3600
#
# Ends with "N passed, N failed, N skipped", as run.sh.

# shellcheck source=tests/vm/machine.sh
. "$(dirname "$0")/machine.sh"
machine_begin "$1"
shift
panics=${LTTNGMAP_VM_PANICS:-20}

passed=0
failed=0
for package; do
	machine_unpack "$package"
	machine_prepare nd_pmem nd_e820 || die "cannot make what Linux $release starts with"
	echo "check-vm: Linux $release, $panics panics"
	# Its firmware and kernel lie below that memory, and what it starts with above.
	machine_boot panic-inside.sh "$panics" '--append=memmap=512M!1G' >"$work/$release.panic"
	grep -vE '^(ok|not ok|#) ' "$work/$release.panic" | grep . | head -n 20
	grep -E '^(not ok|#) ' "$work/$release.panic"
	passed=$((passed + $(grep -c '^ok ' "$work/$release.panic")))
	failed=$((failed + $(grep -c '^not ok ' "$work/$release.panic")))
	if ! grep -q '^done$' "$work/$release.panic"; then
		failed=$((failed + 1))
		echo "check-vm: Linux $release ended before its last panic; its console said last:"
		tail -n 20 "$work/$release.console"
	fi
done
echo "$passed passed, $failed failed, 0 skipped"
[[ $failed == 0 && $passed != 0 ]]
