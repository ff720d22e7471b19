#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# words.pl - counts sentences and words that an engineer from another project has to translate, in all files of the tree but its
# tests, from the top of the tree:
#
#   openings   comments in C that begin with Of, What, Who, Whom, Whose or As, instead of naming the thing
#   words      words that tracing and operating systems have other words for: the second column says which
#
# With -l a line for each; the exit status is 1 if there are more than 19 of either. tests/integration/lint.sh sees it fail.
use strict;
use warnings;

my $list = @ARGV && $ARGV[0] eq '-l';
my $max = 19;
my @words = (
	[ qr/\bkeepers?\b/i,                                  'supervisor' ],
	[ qr/\bledgers?\b(?!\.(?:old|kept|refused))(?!"|$)/i, 'saved state' ],
	[ qr/\b(?:new|next|former|earlier|later) li(?:fe|ves)\b/i, 'restart, generation' ],
	[ qr/\bstand-ins?\b/i,                                'per-user ring owner' ],
	[ qr/\b(?:in the|reader's) hands?\b/i,                'packets in flight' ],
	[ qr/\bstretch(?:es)?\b/i,                            'extent, range' ],
	[ qr/\bspare\b/i,                                     'reader sub-buffer' ],
	[ qr/\bspoil(?:s|ed|t|ing)?\b/i,                      'corrupt' ],
	[ qr/\blapped\b/i,                                    'overwritten, overrun' ],
	[ qr/\blook(?:s|ed|ing)? back\b/i,                    'backward iteration' ],
	[ qr/\bknock(?:s|ed|ing)?\b/i,                        'attach request' ],
	[ qr/\bpick(?:s|ed)?[ -]?up\b/i,                      'late attach' ],
	[ qr/\bapp[ -_]turns?\b/i,                            'run queue' ],
	[ qr/\bsettle[sd]?\b/i,                               'account' ],
	[ qr/\bshots?\b/i,                                    'snapshot' ],
	[ qr/\b(?:sayings|unsaid)\b/i,                       'messages, suppressed' ],
	[ qr/\bkernel[ _]parts?\b/i,                          'kernel domain' ],
	[ qr/\bpieces?\b/i,                                   'segment' ],
);
my ($openings, $found) = (0, 0);

for my $file (grep { !m{^(?:tests/|COPYING)} && -T && !-l } split /\n/, `git ls-files`) {
	open my $handle, '<', $file or die "$file: $!\n";
	my @lines = <$handle>;
	my $text = join '', @lines;
	if ($file =~ /\.[ch]$/) {
		while ($text =~ m{/\*[\s*]*((?:Of|What|Who|Whom|Whose|As)\b[^\n]*)}g) {
			$openings++;
			my $line = 1 + (substr($text, 0, $-[1]) =~ tr/\n//);
			print "$file:$line: begins with: $1\n" if $list;
		}
	}
	for my $line (1 .. @lines) {
		for (@words) {
			my ($word, $better) = @$_;
			while ($lines[ $line - 1 ] =~ /($word)/g) {
				$found++;
				print "$file:$line: $1 ($better)\n" if $list;
			}
		}
	}
}
print "$openings openings of comments, $found words\n";
exit($openings > $max || $found > $max);
