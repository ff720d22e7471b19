#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# install.sh PACKAGES - in a fresh Debian, made by debootstrap: the packages of that
# directory are installed, tried by debian/tests/smoke, and purged, which leaves nothing.
# As root; speaks TAP. The fresh system is kept as PACKAGES/base.tar for the next time.
#
#   MIRROR    where Debian is (where this system has that release from)
#   SUITE     which (bookworm)
set -uo pipefail

packages=$(cd "${1:?install.sh PACKAGES: the directory with the .deb files}" && pwd) || exit 1
sources=$(cd "$(dirname "$0")/../.." && pwd)
suite=${SUITE:-bookworm}
# What looks like commands is for apt.
# shellcheck disable=SC2016
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
	awk -v suite="$suite" '$2 == suite { print $1; exit }')}
root=$(mktemp -d /var/tmp/lttngmap-package.XXXXXX) || exit 1
failed=0
number=0

# Nothing below it is removed while something is still mounted there.
leave() {
	local place

	for place in tmp run dev/shm dev/fuse sys proc; do
		! mountpoint -q "$root/$place" || umount -l "$root/$place"
	done
	grep -q " $root/" /proc/self/mounts || rm -rf --one-file-system "$root"
}
trap leave EXIT
trap 'exit 143' TERM INT

# ok NAME COMMAND...: what it says is shown where it fails.
ok() {
	local name=$1 output status=0

	shift
	number=$((number + 1))
	output=$("$@" 2>&1) || status=$?
	if [[ $status == 0 ]]; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/#   /' <<<"$output" | tail -n 60
		failed=$((failed + 1))
	fi
	return "$status"
}

bail_out() {
	echo "Bail out! $*"
	exit 1
}

inside() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}

apt() {
	inside apt-get -q -y --no-install-recommends "$@"
}

fresh_system() {
	if [[ ! -e $packages/base.tar ]]; then
		debootstrap --variant=minbase "$suite" "$root" "$mirror" || return 1
		# No service is to be started in here.
		printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
		chmod +x "$root/usr/sbin/policy-rc.d"
		cp /etc/resolv.conf "$root/etc/resolv.conf"
		tar -C "$root" -cf "$packages/base.tar.new" . &&
			mv "$packages/base.tar.new" "$packages/base.tar" || return 1
	else
		tar -C "$root" -xf "$packages/base.tar" || return 1
	fi
	# Others are to be in it, too.
	chmod 0755 "$root" || return 1
	mount -t proc proc "$root/proc" &&
		mount -t sysfs -o ro sys "$root/sys" &&
		mount -t tmpfs -o mode=755 run "$root/run" &&
		mount -t tmpfs -o mode=1777 tmp "$root/tmp" || return 1
	mkdir -p "$root/dev/shm" && mount -t tmpfs -o mode=1777 shm "$root/dev/shm" || return 1
	if [[ -c /dev/fuse ]]; then
		touch "$root/dev/fuse" && mount --bind /dev/fuse "$root/dev/fuse"
	fi
}

# What our packages need beside each other, and what the smoke test does.
needed() {
	local own

	own=$(dpkg-deb -f "${debs[0]}" Version)
	for deb in "${debs[@]}"; do
		dpkg-deb -f "$deb" Depends Pre-Depends | sed -E 's/^(Pre-)?Depends: //' | tr ',' '\n'
	done | grep -vF "$own" | grep -vE '^ *(liblttngmap|lttngmap|python3-lttngmap)' | sed 's/^ *//' |
		sort -u
	sed -n 's/^Depends: @, //p' "$sources/debian/tests/control" | tr ',' '\n' | sed 's/^ *//'
}

get_needed() {
	local needs

	mapfile -t needs < <(needed)
	apt update && apt satisfy "${needs[@]}"
}

# All files, with their owners and modes; what is in /etc, by its content.
state() {
	inside find / -xdev \( -path /var/lib/dpkg -o -path /var/cache -o -path /var/lib/apt \
		-o -path /var/log -o -path /home \) -prune -o \
		! -path '/etc/*-' -printf '%y %m %u %g %p\n' | sort
	inside find /etc -xdev -type f ! -name '*-' ! -name ld.so.cache -exec sha256sum {} + | sort
}

left_over() {
	state >"$packages/after"
	diff "$packages/before" "$packages/after"
}

no_processes() {
	local link

	for link in /proc/[0-9]*/root; do
		[[ $(readlink "$link") != "$root"* ]] || { echo "${link%/root}"; return 1; }
	done
}

tracing_group() {
	inside getent group tracing
}

no_tracing_group() {
	! tracing_group
}

# What is in a traced program is of one version with what it is linked to.
one_version() {
	local name own

	for name in lttngmap-preload python3-lttngmap liblttngmap-java liblttngmap-dev; do
		own=$(dpkg-deb -f "$packages/${name}"_*.deb Version)
		dpkg-deb -f "$packages/${name}"_*.deb Depends | grep -F "liblttngmap0 (= $own)" || return 1
	done
}

# What README has the reader install: enough, and nothing that takes LTTng's place.
readme_packages() {
	local line

	line=$(sed -nE 's|^apt install (\./build-deb/[^ ]+)$|\1|p' "$sources/README.md")
	[[ $line ]] || return 1
	# Its braces are for a shell.
	inside bash -c "cd /tmp/packages && apt-get -q -y --no-install-recommends install ${line/build-deb\//}" || return 1
	inside lttngmap --version || return 1
	! inside dpkg-query -W -f '${Package} ${Conflicts}\n' '*lttngmap*' | grep -E 'lttng-|lttngust'
}

links_nowhere() {
	inside dpkg -L "${names[@]}" | while read -r file; do
		[[ ! -L $root$file ]] || inside test -e "$file" || echo "$file"
	done
}

no_links_nowhere() {
	! links_nowhere | grep .
}

[[ $EUID == 0 ]] || bail_out "root is needed for a system of its own"
debs=("$packages"/*.deb)
[[ -e ${debs[0]} ]] || bail_out "$packages has no packages: ./dev deb makes them"
ok "a fresh $suite" fresh_system ||
	bail_out "debootstrap failed: is '$mirror' reached? MIRROR says where $suite is"
ok 'what the packages need is there' get_needed ||
	bail_out "apt could not install that"
state >"$packages/before"
mkdir "$root/tmp/packages"
cp "${debs[@]}" "$root/tmp/packages/"
cp "$sources/debian/tests/smoke" "$root/tmp/packages/"
mapfile -t names < <(for deb in "${debs[@]}"; do dpkg-deb -f "$deb" Package; done)
ok 'apt install of what README names' readme_packages
ok 'apt install ./*.deb' inside sh -c \
	'cd /tmp/packages && apt-get -q -y --no-install-recommends install ./*.deb' || exit 1
ok 'the group tracing is there' tracing_group
ok 'of one version' one_version
ok 'each link leads somewhere' no_links_nowhere
# systemd, which would stop it, does not run in here.
ok 'who removes them stops the daemon that its socket started' inside grep -q \
	'deb-systemd-invoke stop lttngmap-metrics.service lttngmap-sessiond.socket lttngmap-sessiond.service' \
	/var/lib/dpkg/info/lttngmap-tools.prerm
ok 'the smoke test' inside /tmp/packages/smoke
ok 'which leaves no process' no_processes
ok 'they are configured again' inside dpkg-reconfigure "${names[@]}"
ok 'apt purge' apt purge "${names[@]}"
rm -r "$root/tmp/packages"
ok 'which leaves nothing' left_over
ok 'and no group' no_tracing_group
echo "1..$number"
((failed == 0))
