# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# machine.sh - a virtual machine with a Debian package's kernel, which is emulated where it must
# be.
#
# The machine's root is this one's, seen through virtiofs, with a layer above that
# takes all writes and is gone with the machine: so the programs that were built here
# run there as they are. Nothing is installed, and no network is there.
#
#   machine_begin BUILD        sets $src, $build, $work and $scratch; cleans up at the script's exit
#   machine_unpack PACKAGE     the kernel that it stands for; sets $release
#   machine_module             builds lttngmap.ko for it; sets $module
#   machine_prepare MODULE...  what it starts with, and these modules
#   machine_boot INSIDE WORD OPTION...
#                              runs tests/vm/INSIDE with sources, build and WORD until the
#                              machine turns itself off; prints what it prints. OPTIONs are of
#                              qemu, and one --append=TEXT for the kernel
#   machine_stop

die() {
	printf 'check-vm: %s\n' "$*" >&2
	exit 1
}

memory=2G
limit=${LTTNGMAP_VM_SECONDS:-3600}
server=
machine=

machine_stop() {
	[[ -z $machine ]] || kill "$machine" 2>/dev/null
	[[ -z $server ]] || kill "$server" 2>/dev/null
	[[ -z $server ]] || wait "$server" 2>/dev/null
	machine=
	server=
}

machine_begin() {
	src=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
	build=$(cd "$1" && pwd) || exit 1
	work=$build/vm
	[[ $EUID == 0 ]] || die 'root is needed to show the machine this file system'
	mkdir -p "$work" || exit 1
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/lttngmap-vm.XXXXXX") || exit 1
	trap 'machine_stop; rm -rf "$scratch"' EXIT
	trap 'exit 143' TERM
	trap 'exit 130' INT
}

for virtiofsd in /usr/lib/qemu/virtiofsd /usr/libexec/virtiofsd none; do
	[[ ! -x $virtiofsd ]] || break
done
[[ $virtiofsd != none ]] || die 'there is no virtiofsd: install qemu-system-common, or virtiofsd'

# get PACKAGE...: their files, in $work.
get() {
	(cd "$work" && apt-get -q -o APT::Sandbox::User=root download "$@") ||
		die "cannot get $*: see whether 'apt-get update' and 'apt-cache policy $1' find them"
}

machine_unpack() {
	local package

	package=$(apt-cache depends --important "$1" 2>/dev/null |
		sed -nE 's/^ *Depends: (linux-image-[0-9].*)/\1/p' | head -n 1)
	[[ -n $package ]] || package=$1
	release=${package#linux-image-}
	tree=$work/$release
	[[ ! -e $tree/boot/vmlinuz-$release ]] || return 0
	get "$package"
	rm -rf "$tree.new"
	dpkg -x "$work/${package}"_*.deb "$tree.new" && depmod -b "$tree.new" "$release" &&
		mv "$tree.new" "$tree" || die "$package is not a kernel that can be unpacked"
	rm -f "$work/${package}"_*.deb
}

# The headers of $release, with their paths led to where they are unpacked.
unpack_headers() {
	local packages package

	[[ ! -e $tree.headers ]] || return 0
	mapfile -t packages < <(apt-cache depends --important "linux-headers-$release" 2>/dev/null |
		sed -nE 's/^ *Depends: (linux-(headers|kbuild|compiler)-.*)/\1/p')
	packages+=("linux-headers-$release")
	get "${packages[@]}"
	rm -rf "$tree.headers.new"
	for package in "${packages[@]}"; do
		dpkg -x "$work/${package}"_*.deb "$tree.headers.new" || die "$package cannot be unpacked"
		rm -f "$work/${package}"_*.deb
	done
	sed -i "s, /usr/src/, $tree.headers/usr/src/," \
		"$tree.headers.new/usr/src/linux-headers-$release/Makefile" &&
		mv "$tree.headers.new" "$tree.headers" || die "the headers of Linux $release are not as expected"
}

# machine_make FOLDER [VARIABLE...]: the module of the sources there.
machine_make() {
	local folder=$1

	shift
	make -C "$tree.headers/usr/src/linux-headers-$release" M="$folder" "$@" \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$work/$release.make" 2>&1 ||
		die "the module does not build for Linux $release: $(tail -n 20 "$work/$release.make")"
}

# In a copy of its sources: what is made of them lies beside them. Its type information would need
# a tool of the kernel's own version.
machine_module() {
	local copy=$work/$release.module

	unpack_headers
	rm -rf "$copy"
	mkdir -p "$copy/sessiond" "$copy/include" && cp -r "$src/module" "$copy/" &&
		cp -r "$src/sessiond/ring" "$copy/sessiond/" &&
		cp -r "$src/include/lttngmap" "$copy/include/" || exit 1
	machine_make "$copy/module" C=1 KCFLAGS=-Werror
	! grep 'warning:' "$work/$release.make" || die "sparse finds fault with the module"
	module=$copy/module/lttngmap.ko
}

# Busybox, the modules to see its root, and init.
machine_prepare() {
	local root=$scratch/initrd kind file number=100

	rm -rf "$root"
	mkdir -p "$root"/{bin,modules,proc,sys,dev,lower,upper,root} || return
	cp "$(command -v busybox)" "$root/bin/busybox" && cp "$src/tests/vm/init" "$root/init" &&
		chmod 755 "$root/init" || return
	while read -r kind file; do
		[[ $kind == insmod ]] || continue
		number=$((number + 1))
		case $file in
		*.xz) xz -dc "$file" >"$root/modules/$number.ko" || return ;;
		*.zst) zstd -qdc "$file" >"$root/modules/$number.ko" || return ;;
		*) cp "$file" "$root/modules/$number.ko" || return ;;
		esac
	done < <(modprobe -d "$tree" -S "$release" --show-depends -a virtio_pci virtiofs overlay "$@")
	(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$scratch/initrd.gz"
}

# All its CPUs are one thread: with more, one was seen to run another's code as it was
# before a breakpoint was taken out of it, and the kernel died ("Oops: int3").
machine_boot() {
	local inside=$1 word=$2 socket=$scratch/socket accelerator=tcg,thread=single append=

	shift 2
	if [[ ${1:-} == --append=* ]]; then
		append=${1#*=}
		shift
	fi
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
		-serial file:"$work/$release.console" -serial stdio \
		-kernel "$tree/boot/vmlinuz-$release" -initrd "$scratch/initrd.gz" "$@" \
		-append "console=ttyS0 panic=-1 oops=panic quiet $append lttngmap=$src,$build,$inside,$word" \
		</dev/null &
	machine=$!
	wait "$machine" || echo "check-vm: the machine was ended, after at most $limit s"
	machine=
	machine_stop
}
