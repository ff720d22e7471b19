# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# kernel.sh - what an integration test of the kernel's events needs; after tap.sh,
# and before anything else. It skips the test where there is no root or no tracefs.
#
#   $tracefs             where tracefs is: mounted in a mount namespace of this test's,
#                        where the machine has not; the test is begun again for that
#   kernel_since VERSION WHY
#                        skips the test, saying why, where the kernel is older
#   kernel_machine       prints what the machine's own tracing is set to, which
#                        no test may change

tracefs=/sys/kernel/tracing

[[ $EUID == 0 ]] || skip_all 'kernel events are for root'
if ! mountpoint -q $tracefs; then
	[[ -z ${KERNEL_TEST_MOUNTED:-} ]] || skip_all "tracefs cannot be mounted at $tracefs"
	rmdir "$TAP_DIR" # It gets another one.
	KERNEL_TEST_MOUNTED=1 exec unshare --mount "$BASH" -c \
		"mount -t tracefs nodev $tracefs; exec \"\$0\" \"\$@\"" "$0" "$@"
fi

kernel_since() {
	local release

	release=$(uname -r)
	[[ $(printf '%s\n' "$1" "$release" | sort -V | head -n 1) == "$1" ]] ||
		skip_all "Linux $release: $2"
}

kernel_machine() {
	(cd $tracefs && grep -H . trace_clock current_tracer tracing_on set_event set_event_pid \
		buffer_size_kb buffer_percent trace_options events/enable 2>/dev/null)
}
