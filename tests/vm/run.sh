#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# run.sh BUILD PACKAGE... - the tests of the kernel's events on other kernels: each
# Debian package of one is booted in a virtual machine, which is emulated where it must
# be. `./dev check-vm` installs what this needs.
#
# The machine's root is this one's, seen through virtiofs, with a layer above that
# takes all writes and is gone with the machine: so the programs that were built here
# run there as they are. Nothing is installed, and no network is there.
#
#   LTTNGMAP_VM_TESTS     names of tests, as patterns, instead of all: 'kernel-record.sh kernel-s*'
#   LTTNGMAP_VM_SECONDS   what one kernel may take, instead of 3600
#
# Prints what the tests print; ends with "N passed, N failed, N skipped". In BUILD/vm:
# the packages, and of each kernel KERNEL.log and what its console said, KERNEL.console.

tests=${LTTNGMAP_VM_TESTS:-*}
tests=${tests// /:}
limit=${LTTNGMAP_VM_SECONDS:-3600}
memory=2G

here=$(cd "$(dirname "$0")" && pwd)
src=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd) || exit 1
shift
work=$build/vm

die() {
	printf 'check-vm: %s\n' "$*" >&2
	exit 1
}

[[ $EUID == 0 ]] || die 'root is needed to show the machine this file system'
for virtiofsd in /usr/lib/qemu/virtiofsd /usr/libexec/virtiofsd none; do
	[[ ! -x $virtiofsd ]] || break
done
[[ $virtiofsd != none ]] || die 'there is no virtiofsd: install qemu-system-common, or virtiofsd'

mkdir -p "$work" || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/lttngmap-vm.XXXXXX") || exit 1
server=
machine=
stop() {
	[[ -z $machine ]] || kill "$machine" 2>/dev/null
	[[ -z $server ]] || kill "$server" 2>/dev/null
	[[ -z $server ]] || wait "$server" 2>/dev/null
	machine=
	server=
}
trap 'stop; rm -rf "$scratch"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# unpack PACKAGE: the kernel that it stands for into $tree; sets $release.
unpack() {
	local package

	package=$(apt-cache depends --important "$1" 2>/dev/null |
		sed -nE 's/^ *Depends: (linux-image-[0-9].*)/\1/p' | head -n 1)
	[[ -n $package ]] || package=$1
	release=${package#linux-image-}
	tree=$work/$release
	[[ ! -e $tree/boot/vmlinuz-$release ]] || return 0
	(cd "$work" && apt-get -q -o APT::Sandbox::User=root download "$package") ||
		die "cannot get $package: see whether 'apt-get update' and 'apt-cache policy $1' find it"
	rm -rf "$tree.new"
	dpkg -x "$work/${package}"_*.deb "$tree.new" && depmod -b "$tree.new" "$release" &&
		mv "$tree.new" "$tree" || die "$package is not a kernel that can be unpacked"
	rm -f "$work/${package}"_*.deb
}

# What the machine starts with: busybox, the modules to see its root, and init.
make_initrd() {
	local root=$scratch/initrd kind file number=100

	rm -rf "$root"
	mkdir -p "$root"/{bin,modules,proc,sys,dev,lower,upper,root} || return
	cp "$(command -v busybox)" "$root/bin/busybox" && cp "$here/init" "$root/init" &&
		chmod 755 "$root/init" || return
	while read -r kind file; do
		[[ $kind == insmod ]] || continue
		number=$((number + 1))
		case $file in
		*.xz) xz -dc "$file" >"$root/modules/$number.ko" || return ;;
		*.zst) zstd -qdc "$file" >"$root/modules/$number.ko" || return ;;
		*) cp "$file" "$root/modules/$number.ko" || return ;;
		esac
	done < <(modprobe -d "$tree" -S "$release" --show-depends -a virtio_pci virtiofs overlay)
	(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$scratch/initrd.gz"
}

# The machine, until it turns itself off: what it prints is what its second line says.
# All its CPUs are one thread: with more, one was seen to run another's code as it was
# before a breakpoint was taken out of it, and the kernel died ("Oops: int3").
boot() {
	local socket=$scratch/socket accelerator=tcg,thread=single

	rm -f "$socket"
	"$virtiofsd" --socket-path="$socket" -o source=/ -o sandbox=chroot -o cache=always \
		>"$work/$release.virtiofsd" 2>&1 &
	server=$!
	for ((tries = 0; tries < 200; tries++)); do
		[[ ! -S $socket ]] || break
		sleep 0.05
	done
	timeout --foreground --kill-after=10 "$limit" qemu-system-x86_64 \
		-accel "$accelerator" -cpu max -machine q35 -smp 4 -m "$memory" \
		-object memory-backend-memfd,id=memory,size="$memory",share=on \
		-numa node,memdev=memory -chardev socket,id=root,path="$socket" \
		-device vhost-user-fs-pci,chardev=root,tag=root -nic none -display none \
		-serial file:"$work/$release.console" -serial stdio -no-reboot \
		-kernel "$tree/boot/vmlinuz-$release" -initrd "$scratch/initrd.gz" \
		-append "console=ttyS0 panic=-1 oops=panic quiet lttngmap=$src,$build,$tests" \
		</dev/null &
	machine=$!
	wait "$machine" || echo "check-vm: the machine was ended, after at most $limit s"
	machine=
	stop
}

passed=0
failed=0
skipped=0
for package; do
	unpack "$package"
	make_initrd || die "cannot make what Linux $release starts with"
	echo "check-vm: Linux $release"
	rm -f "$scratch/output"
	mkfifo "$scratch/output"
	tee "$work/$release.log" <"$scratch/output" &
	show=$!
	boot >"$scratch/output"
	wait "$show"
	if [[ $(tail -n 1 "$work/$release.log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
		skipped=$((skipped + BASH_REMATCH[3]))
	else
		failed=$((failed + 1))
		echo "check-vm: Linux $release ended before its tests; its console said last:"
		tail -n 20 "$work/$release.console"
	fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed == 0 && $passed != 0 ]]
