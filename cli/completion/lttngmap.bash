# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What may follow on a command line of lttngmap's, for bash. `lttngmap complete` knows.

_lttngmap() {
	local cur words cword line kind argument cut i

	_get_comp_words_by_ref -n '=:' cur words cword || return
	COMPREPLY=()
	# Of the word, bash replaces what follows the last of these.
	cut=${cur%"${cur##*[=:]}"}
	while IFS= read -r line; do
		if [[ $line != $'\t'* ]]; then
			line=${line%%$'\t'*}
			COMPREPLY+=("${line#"$cut"}")
			continue
		fi
		kind=${line#$'\t'}
		argument=${kind#*$'\t'}
		case ${kind%%$'\t'*} in
		files | directories)
			cur=${cur#"$argument"}
			if [[ $kind == f* ]]; then
				_filedir
			else
				_filedir -d
			fi
			;;
		command)
			for ((i = 1; i < COMP_CWORD; i++)); do
				[[ ${COMP_WORDS[i]} != -- ]] || break
			done
			# Words are counted as bash does, which may be more than ours.
			((i < COMP_CWORD)) || i=$((COMP_CWORD - cword + argument))
			_command_offset $((i + 1))
			;;
		esac
	done < <("${words[0]}" complete -- "${words[@]:1:cword}" 2>/dev/null)
}
complete -F _lttngmap lttngmap
