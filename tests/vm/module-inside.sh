#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# module-inside.sh SOURCES BUILD MODULE - in the machine that module.sh booted: load MODULE, use
# it, and unload it.

module=$3
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8

stty -F /dev/ttyS1 raw -echo
exec </dev/null >/dev/ttyS1 2>&1

tell() { # NAME, after a command: what it came to
	local status=$?

	((status == 0)) && echo "ok $1" || echo "not ok $1"
	return "$status"
}

insmod "$module"
tell 'the module is loaded' || dmesg | tail -n 5
[[ -d /sys/module/lttngmap ]]
tell 'the kernel lists it'
rmmod lttngmap && [[ ! -d /sys/module/lttngmap ]]
tell 'and unloads it'
echo 'done'
sleep 1
/bin/busybox poweroff -f
