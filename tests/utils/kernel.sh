# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# kernel.sh - what an integration test of the kernel's events needs; after tap.sh,
# and before anything else. It skips the test where there is no root or no tracefs.
#
#   $tracefs             where tracefs is: mounted in a mount namespace of this test's,
#                        where the machine has not; the test is begun again for that
#   $kernel_mapped       True or False: are its rings mapped, or read? LTTNGMAP_TEST_KERNEL=read
#                        makes it seem to the programs as if they could not be mapped
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
		"mount -t tracefs nodev $tracefs; exec \"\$BASH\" \"\$0\" \"\$@\"" "$0" "$@"
fi

kernel_is() { # At least VERSION.
	[[ $(printf '%s\n' "$1" "$(uname -r)" | sort -V | head -n 1) == "$1" ]]
}

kernel_since() {
	kernel_is "$1" || skip_all "Linux $(uname -r): $2"
}

kernel_mapped=True
kernel_is 6.10 || kernel_mapped=False
if [[ ${LTTNGMAP_TEST_KERNEL:-} == read ]]; then
	[[ -z ${LTTNGMAP_SANITIZED:-} ]] ||
		skip_all 'a build with sanitizers has no libraries to preload'
	[[ $kernel_mapped == True ]] || skip_all 'nothing is mapped here, anyway'
	kernel_mapped=False
	preloaded=$LTTNGMAP_BUILD/tests/utils/.libs/libno-ring-map.so
	[[ -e $preloaded ]] || bail_out "there is no $preloaded: is it built?"
	export LD_PRELOAD=$preloaded
fi

kernel_machine() {
	(cd $tracefs && grep -H . trace_clock current_tracer tracing_on set_event set_event_pid \
		buffer_size_kb buffer_percent trace_options events/enable 2>/dev/null)
}
