#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# module-inside.sh SOURCES BUILD MODULE:SECONDS - in the machine that module.sh booted: load MODULE, use
# it, and unload it. A directory has modules without a check, whose names say which case has to fail.

module=${3%:*}
export LTTNGMAP_SOAK_SECONDS=${3##*:}
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8

mount -t tmpfs -o mode=755 run /run
stty -F /dev/ttyS1 raw -echo
exec </dev/null >/dev/ttyS1 2>&1

tell() { # NAME, after a command: what it came to
	local status=$?

	((status == 0)) && echo "ok $1" || echo "not ok $1"
	return "$status"
}

end() {
	echo 'done'
	sleep 1
	/bin/busybox poweroff -f
}

mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
mount -t cgroup2 cgroup2 /sys/fs/cgroup
cd "$2" || exit 1
if [[ -d $module ]]; then
	for variant in "$module"/*.ko; do
		case=${variant##*-}
		insmod "$variant" && timeout 120 tests/vm/module-rings "${case%.ko}" >/run/output
		seen=$(grep -m 1 '^not ok ' /run/output)
		rm /run/output
		rmmod lttngmap && [[ -n $seen ]]
		tell "${variant##*/}: $seen"
	done
	end
fi
insmod "$module"
tell 'the module is loaded' || dmesg | tail -n 5
[[ -d /sys/module/lttngmap ]]
tell 'the kernel lists it'
timeout 900 tests/vm/module-rings
tell 'rings are read'
timeout $((900 + LTTNGMAP_SOAK_SECONDS)) tests/vm/module-hostile
tell 'and nothing harms the kernel'
exec 3</dev/lttngmap
! rmmod lttngmap 2>/dev/null && [[ -d /sys/module/lttngmap ]]
tell 'a module in use is not unloaded'
exec 3<&-
rmmod lttngmap && [[ ! -d /sys/module/lttngmap ]]
tell 'and unloads it'
end
