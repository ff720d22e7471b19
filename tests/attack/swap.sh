#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Root records into a folder that an attacker owns, and rotates, clears, stops and starts; the attacker
# replaces what is there by links to a folder of root's.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

secret=$TAP_DIR/secret theirs=$TAP_DIR/theirs
mkdir -p "$secret/index"
echo "root's" | tee "$secret/metadata" >"$secret/index/stream"
look_at_secret() {
	find "$secret" -printf '%P %m %u %s %T@\n' | sort
	cat "$secret/metadata" "$secret/index/stream"
}
secret_before=$(look_at_secret)

attack_prepare() {
	rm -rf "$theirs"
	mkdir "$theirs"
	chown 65001:65001 "$theirs"
	attack_session theirs "$theirs/out" discard 4096 4 || bail_out "no session: $(<"$TAP_DIR/answer")"
	chown -R 65001:65001 "$theirs"
	: >"$TAP_DIR/rotated"
}
be_root() { # CONTROL DIR
	local verb

	while :; do
		for verb in rotate clear rotate stop start; do
			timeout 5 "$1" "$2" '{"verb": "'$verb'", "session": "theirs"}'
		done
	done
}
export -f be_root
attack_look() {
	is "$(look_at_secret)" "$secret_before" "$1: root's folder is as it was"
	ok "$1: it was rotated meanwhile" test -n "$(ls -A "$theirs/out/archives" 2>/dev/null)"
}
attack_mend() {
	[[ -z $sessiond_pid ]] || attack_control 10 '{"verb": "destroy", "session": "theirs"}'
}
# shellcheck disable=SC2016 # of the other shell
attack_with swap bash -c 'be_root "$1" "$2" & shift 2; exec "$@"' bash "$LTTNGMAP_BUILD/tests/utils/control" @DIR@ \
	setpriv --reuid=@UID@ --regid=@UID@ --clear-groups "$attacker" swap @DIR@ 60 2 "$theirs/out"
is "$(look_at_secret)" "$secret_before" "root's folder is as it was"
done_testing
