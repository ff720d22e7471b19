# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What may follow on a command line of lttngmap's, for fish. `lttngmap complete` knows.

function __lttngmap_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (lttngmap complete -- $words[2..-1] "$current" 2>/dev/null)
        set -l fields (string split \t -- $line)
        if test -n "$fields[1]"
            echo $line
            continue
        end
        switch $fields[2]
            case files directories
                set -l start (string length -- "$fields[3]")
                set -l path (string sub -s (math $start + 1) -- "$current")
                set -l found (__fish_complete_path "$path")
                if test $fields[2] = directories
                    set found (__fish_complete_directories "$path" directory)
                end
                for one in $found
                    echo -s $fields[3] $one
                end
            case command
                # The verb is our word 0, and the second of fish's.
                set -l command
                set -l first (math $fields[3] + 2)
                test $first -gt (count $words); or set command $words[$first..-1]
                __fish_complete_subcommand --commandline $command "$current"
        end
    end
end

complete -c lttngmap -f -a '(__lttngmap_complete)'
