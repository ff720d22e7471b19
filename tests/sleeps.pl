#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# sleeps.pl - finds sleeps of tests that say no reason, from the top of the tree. A test waits for a state: by wait_for,
# or in a loop that asks for it in one of the two lines before the sleep. Where a time has to pass, a comment on the
# sleep's line or right above says why: it is what is promised, or nothing is to happen in it. These need no reason:
# moments chosen at random, the pace of a load (less than 10 ms, or a named one), and programs that are to be there for
# long: `sleep 600 &`, and those that another command starts. Those of run-tests are what its tests do.
#
# Prints a line for each; the exit status is 1 if there are any. tests/integration/lint.sh sees it fail.
use strict;
use warnings;

my $found = 0;

for my $file (grep { m{^tests/.*\.(?:sh|c|cc|h|py)$} && $_ ne 'tests/integration/run-tests.sh' && !m{^tests/(?:bench|vm|lttng)/} && !-l } split /\n/, `git ls-files`) {
	my $script = $file =~ /\.sh$/;
	open my $handle, '<', $file or die "$file: $!\n";
	my @lines = <$handle>;
	for my $i (0 .. $#lines) {
		my ($line, $above) = ($lines[$i], $i ? $lines[ $i - 1 ] : '');
		# A loop that has ended asks for nothing.
		my $asks = join '', (grep { !/(?:^|;)\s*done\b/ } $i > 1 ? $lines[ $i - 2 ] : '', $above), $line;
		next if $line =~ m{^\s*(?:#|/?\*)} || $line =~ /RANDOM|random| % |\bpause\b/;
		if ($script) {
			next if $line !~ /(?:^|;|&&|\|\||\bdo|\bthen|\{|\()\s*sleep\s+["\$\d.]/ || $line =~ /sleep \S+ &(?!&)/;
			next if $line =~ /\s#\s/ || $above =~ /^\s*#|\s#\s/;
			next if $asks =~ /\b(?:break|return|until|while|trap)\b(?! (?::|true\b))/;
		} else {
			next if $line !~ /\b(?:u|nano|clock_nano|time\.)?sleep\(/ || $line =~ /^\w.*\)$|"[^"]*sleep\(|sleep\(\d{1,4}\)|sleep\(.*[A-Z]{3}/;
			next if $line =~ m{/\*|//|\s#\s} || $above =~ m{\*/\s*$|^\s*//|^\s*#\s};
			next if $asks =~ /\b(?:while|for|if) (?!\(;;\))/;
		}
		$line =~ s/^\s+|\s+$//g;
		print "$file:", $i + 1, ": says not why it sleeps: $line\n";
		$found++;
	}
}
exit($found > 0);
