#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# vmcore.sh BUILD PACKAGE... - a machine whose rings are in the kernel module dies of a panic under load. Its
# memory is dumped from outside, and `lttngmap recover --vmcore` makes traces of the dump. Then the dump is
# damaged in many ways: that has an end, and a message.
#
#   LTTNGMAP_VM_PANICS    how many of each kernel, instead of 20
#   LTTNGMAP_VM_KEEP      a directory, for the last dump, the writers' counts and the traces
#   LTTNGMAP_VM_SECONDS   what one panic may take, instead of 600
#
# Ends with "N passed, N failed, N skipped", as run.sh.

LTTNGMAP_VM_SECONDS=${LTTNGMAP_VM_SECONDS:-600}
# shellcheck source=tests/vm/machine.sh
. "$(dirname "$0")/machine.sh"
# shellcheck source=tests/vm/panic-judge.sh
. "$(dirname "$0")/panic-judge.sh"
machine_begin "$1"
shift
panics=${LTTNGMAP_VM_PANICS:-20}
memory=1G
modes=(recorder discard blocking)

# monitor COMMAND: of qemu's; waits until it was done.
monitor() {
	python3 - "$scratch/monitor" "$1" <<-'END'
		import socket, sys
		monitor = socket.socket(socket.AF_UNIX)
		monitor.connect(sys.argv[1])
		def answer():
		    got = b""
		    while not got.endswith(b"(qemu) "):
		        more = monitor.recv(65536)
		        if not more:
		            break
		        got += more
		answer()
		monitor.sendall(sys.argv[2].encode() + b"\n")
		answer()
	END
}

# dump: waits for the panic, writes the machine's memory to $scratch/dump, and ends it.
dump() {
	local i

	for ((i = 0; i < LTTNGMAP_VM_SECONDS * 5; i++)); do
		! grep -q '^end Kernel panic\|end Kernel panic' "$work/$release.console" || break
		kill -0 "$1" 2>/dev/null || return
		sleep 0.2
	done
	monitor stop
	monitor "dump-guest-memory $scratch/dump"
	monitor quit
}

# panic_once MODE
panic_once() {
	local booted

	rm -rf "$scratch/traces" "$scratch/dump" "$scratch/counts"
	mkdir "$scratch/traces"
	truncate -s 4M "$scratch/counts"
	: >"$work/$release.console"
	machine_boot vmcore-inside.sh "$module:$1:$scratch/traces" --append=panic=0 -device vmcoreinfo \
		-object memory-backend-file,id=counts,share=on,mem-path="$scratch/counts",size=4M \
		-device ivshmem-plain,memdev=counts -monitor unix:"$scratch/monitor",server,nowait \
		>"$scratch/said" &
	booted=$!
	dump "$booted"
	wait "$booted"
	grep '^# ' "$scratch/said"
}

# look_at NAME MODE
look_at() {
	local begin=$SECONDS

	timeout 300 "$build/lttngmap" recover --json --vmcore "$scratch/dump" -o "$scratch/traces" \
		>"$scratch/json" 2>"$scratch/err"
	tell "$1, $2: recovered from the dump" || sed 's/^/# /' "$scratch/err"
	echo "# $1, $2: recovering took $((SECONDS - begin)) s"
	judge "$1" "$2" "$scratch/traces/s" "$scratch/counts" "$scratch/json"
	[[ $(ls -A "$scratch/traces") == s ]]
	tell "$1, $2: nothing else is left there"
}

# damage NUMBER: in another way each. Prints how, and leaves the dump as it was in $scratch/patches.
damage() {
	python3 - "$scratch/dump" "$1" "$scratch/patches" <<-'END'
		import mmap, os, random, struct, sys
		path, number, patches = sys.argv[1], int(sys.argv[2]), sys.argv[3]
		random.seed(number)
		dump = mmap.mmap(os.open(path, os.O_RDWR), 0)
		anchor = dump.find(struct.pack("<Q", 0x726f68636e614c01))
		name = dump.find(b"s\0" + bytes(254) + b"c\0" + bytes(254))
		old = []
		def put(at, value):
		    if 0 <= at < len(dump) - 8:
		        old.append((at, dump[at:at + 8]))
		        dump[at:at + 8] = struct.pack("<Q", value)
		values = [0, 1, 2, 0xffffffffffffffff, random.getrandbits(64)]
		if number % 4 == 0:
		    at, count = anchor + 16 + 4 * random.randrange(30), 1
		elif number % 4 == 1:
		    at, count = name - 256 + random.randrange(4096) // 8 * 8, 40
		elif number % 4 == 2:
		    at, count = None, 200000
		else:
		    at, count = 8 * random.randrange(512), 4
		for i in range(count):
		    where = random.randrange(len(dump)) // 8 * 8 if at is None else at + 8 * i
		    put(where, random.choice(values))
		with open(patches, "wb") as file:
		    for where, bytes_ in reversed(old):
		        file.write(struct.pack("<Q", where) + bytes_)
		print(("the anchor", "the ring set", "anything", "the dump's own head")[number % 4])
	END
}

mend() {
	python3 - "$scratch/dump" "$scratch/patches" <<-'END'
		import mmap, os, struct, sys
		dump = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 0)
		patches = open(sys.argv[2], "rb").read()
		for i in range(0, len(patches), 16):
		    at, = struct.unpack_from("<Q", patches, i)
		    dump[at:at + 8] = patches[i + 8:i + 16]
	END
}

# try_damaged WHAT: an end, and an exit status of a program that ended by itself.
try_damaged() {
	local status

	rm -rf "$scratch/damaged"
	timeout 120 "$build/lttngmap" recover --vmcore "$scratch/dump" -o "$scratch/damaged" \
		>"$scratch/out" 2>&1
	status=$?
	[[ $status == [01] ]] && { [[ $status == 0 ]] || [[ -s $scratch/out ]]; } &&
		! grep -qE 'Segmentation|core dumped|Sanitizer' "$scratch/out"
	tell "a dump damaged in $1: status $status" || sed 's/^/# /' "$scratch/out"
}

look_at_damaged() {
	local number what

	[[ -z ${LTTNGMAP_VM_KEEP:-} ]] || cp -r "$scratch"/{dump,counts,traces} "$LTTNGMAP_VM_KEEP"
	for number in {0..15}; do
		what=$(damage "$number")
		try_damaged "$what ($number)"
		mend
	done
	truncate -s -300M "$scratch/dump"
	try_damaged 'its length'
	truncate -s 100 "$scratch/dump"
	try_damaged 'all but 100 bytes'
}

for package; do
	machine_unpack "$package"
	machine_module
	machine_prepare qemu_fw_cfg || die "cannot make what Linux $release starts with"
	echo "check-vm: Linux $release, $panics panics of a machine that is dumped"
	: >"$work/$release.vmcore"
	for ((panic = 0; panic < panics; panic++)); do
		panic_once "${modes[panic % 3]}"
		look_at "panic $((panic + 1))" "${modes[panic % 3]}"
	done >>"$work/$release.vmcore"
	look_at_damaged >>"$work/$release.vmcore"
	grep -E '^(not ok|#) ' "$work/$release.vmcore"
	passed=$((passed + $(grep -c '^ok ' "$work/$release.vmcore")))
	failed=$((failed + $(grep -c '^not ok ' "$work/$release.vmcore")))
done
echo "$((passed)) passed, $((failed)) failed, 0 skipped"
[[ $((failed)) == 0 && $((passed)) != 0 ]]
