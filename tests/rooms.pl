#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# rooms.pl [BUILD] - checks the tree against the two tables of CONTRIBUTING.md, from the top of the tree:
#
#   includes   A folder includes only what its row says. A room includes only its own headers and those of rooms above it.
#   calls      The same of calls, by the symbols of the objects in BUILD; and at most 11 files call each other in a circle, all of
#              one room.
#   headers    A .c file includes its own header first, or its room's -private.h. A header's guard is its path. Own headers are
#              included by their path from the top.
#   sizes      At most 40 files in a folder; at most 12 .c files beside the rooms of sessiond/ and cli/, verbs aside.
#   clocks     Only common/base/time.h reads CLOCK_MONOTONIC into a function called "now" or the like.
#
# A line for each fault; the exit status is 1 if there are any. tests/integration/rooms.sh sees each check fail.
use strict;
use warnings;

my $build = shift // 'build';
my $circle_max = 11;
my ($folder_max, $beside_max) = (40, 12);
my $wrong = 0;

sub fault { print "@_\n"; $wrong = 1; }

sub slurp {
	my ($path) = @_;
	open my $file, '<', $path or die "$path: $!\n";
	local $/;
	return scalar <$file>;
}

# ---- the tables ----------------------------------------------------------------

my (%may_use, @folders, %level);
{
	my $table = '';
	for (split /\n/, slurp('CONTRIBUTING.md')) {
		$table = $1 if /^\| (folder|room) \|/;
		$table = '' unless /^\|/;
		next unless $table && /^\| `([^`]+)` \|/;
		my $folder = $1;
		my @cells = split /\s*\|\s*/;
		if ($table eq 'folder') {
			push @folders, $folder;
			$may_use{$folder} = $cells[3] // '';
		} else {
			my ($top) = $folder =~ m{^([^/]+/)};
			$level{$folder} = 1 + grep { m{^\Q$top\E} } keys %level;
		}
	}
}
die "CONTRIBUTING.md has no table of folders\n" unless @folders;
die "CONTRIBUTING.md has no table of rooms\n" unless %level;

my @files = grep { /\.(c|h|cc|hpp)$/ && -f && !-l } split /\n/, `git ls-files`;
my %is_file = map { $_ => 1 } @files;

# The folder of the first table, and the room of the second or '' for a file beside rooms.
sub folder_of {
	my ($path) = @_;
	my ($best) = sort { length $b <=> length $a } grep { index($path, $_) == 0 } @folders;
	return $best // '';
}

sub room_of {
	my ($path) = @_;
	return $path =~ m{^([^/]+/[^/]+/)} && $level{$1} ? $1 : '';
}

# May a file in the one place use one in the other? Files beside the rooms are above all of them.
sub is_upward {
	my ($from, $to) = @_;
	my ($a, $b) = (room_of($from), room_of($to));
	return 0 if $a eq $b || $a eq '';
	return $b eq '' || $level{$b} > $level{$a};
}

sub is_allowed {
	my ($from, $to) = @_;
	my $cell = $may_use{$from} // '';
	return 1 if $cell =~ /everything/;
	for ($cell =~ /`([^`]+)`/g) {
		return 1 if m{/$} ? index($to, $_) == 0 : $to eq $_;
	}
	return 0;
}

# ---- includes ------------------------------------------------------------------

sub check_includes {
	my ($file, $text) = @_;
	my $folder = folder_of($file);
	while ($text =~ /^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]/mg) {
		my ($quote, $name) = ($1, $2);
		my $path = $quote eq '"' ? $name : "include/$name";
		if ($quote eq '"' && !$is_file{$path}) {
			fault("$file: \"$name\" is no path from the top") unless -f "$build/$path" || $folder =~ m{^include/};
			next;
		}
		next unless $is_file{$path};
		my $other = folder_of($path);
		if ($other ne $folder) {
			fault("$file: includes $path, which $folder may not use") unless is_allowed($folder, $path);
		} elsif (is_upward($file, $path)) {
			fault("$file: includes $path, of a room above its own");
		}
	}
}

# ---- headers -------------------------------------------------------------------

sub check_header {
	my ($file, $text) = @_;
	if ($file =~ /\.c$/) {
		(my $own = $file) =~ s/\.c$/.h/;
		return unless $is_file{$own};
		my ($first) = grep { $_ ne '<config.h>' } $text =~ /^#include (\S+)/mg;
		my ($room) = $file =~ m{^(.*/)};
		fault("$file: includes $first before its own header")
			unless ($first // '') =~ m{^"(?:\Q$own\E|\Q$room\E[a-z-]*-(?:private|parts)\.h)"$};
	} elsif ($file =~ /\.h$/ && $file !~ m{^include/}) {
		(my $guard = uc $file) =~ s/[^A-Z0-9]/_/g;
		fault("$file: its guard is not $guard") unless $text =~ /^#ifndef \Q$guard\E\n#define \Q$guard\E$/m;
	}
}

# ---- sizes, clocks -------------------------------------------------------------

sub check_sizes {
	my (%in, %beside);
	for (@files) {
		next if m{^(tests|doc|include)/};
		my ($folder) = m{^(.*/)} or next;
		next if m{/cmd-[a-z-]+\.c$};
		$in{$folder}++;
		$beside{$1}++ if m{^(sessiond/|cli/)[^/]+\.c$};
	}
	for (sort keys %in) {
		fault("$_: $in{$_} files, more than $folder_max") if $in{$_} > $folder_max;
	}
	for (sort keys %beside) {
		fault("$_: $beside{$_} .c files beside its rooms, more than $beside_max") if $beside{$_} > $beside_max;
	}
}

sub check_clock {
	my ($file, $text) = @_;
	# A traced program's libraries have none of the daemons' helpers.
	return if $file eq 'common/base/time.h' || $file =~ m{^(liblttngmap|preload|sdt|python)/};
	fault("$file: $1() is common/base/time.h's")
		if $text =~ /^[a-z][a-z0-9_ ]*\b((?:[a-z]+_)?now(?:_[a-z]+)?)\(void\)\n\{[^}]*CLOCK_MONOTONIC/m;
}

# ---- calls ---------------------------------------------------------------------

# File → the files whose symbols it uses. An object is called LIBRARY-NAME.o or NAME.o.
sub calls {
	my (%defined, %used, %calls);
	for my $file (grep { /\.c$/ && !m{^(tests|doc)/} } @files) {
		my ($folder, $name) = $file =~ m{^(.*/)([^/]+)\.c$};
		my ($object) = grep { -s && m{/(?:[A-Za-z0-9_]+-)?\Q$name\E\.o$} } glob("$build/$folder*.o $build/$folder.libs/*.o");
		next unless $object;
		for (split /\n/, `nm '$object'`) {
			my ($type, $symbol) = /^[0-9a-f ]{16} ([A-Za-z]) (\S+)$/ or next;
			$used{$file}{$symbol} = 1 if $type eq 'U';
			$defined{$symbol} = $file if $type =~ /[TDBRVWC]/;
		}
		$used{$file} //= {};
	}
	for my $file (keys %used) {
		for (keys %{ $used{$file} }) {
			my $other = $defined{$_};
			# The families of preload/ define functions of the C library.
			$calls{$file}{$other} = $_ if $other && $other ne $file && folder_of($other) eq folder_of($file);
		}
		$calls{$file} //= {};
	}
	return \%calls;
}

# Sets of files that call each other, of two at least (Tarjan's algorithm).
sub circles {
	my ($calls) = @_;
	my (%index, %low, %on, @stack, @circles);
	my $next = 0;
	my $visit;
	$visit = sub {
		my ($file) = @_;
		$index{$file} = $low{$file} = $next++;
		push @stack, $file;
		$on{$file} = 1;
		for (sort keys %{ $calls->{$file} }) {
			if (!defined $index{$_}) {
				$visit->($_);
				$low{$file} = $low{$_} if $low{$_} < $low{$file};
			} elsif ($on{$_} && $index{$_} < $low{$file}) {
				$low{$file} = $index{$_};
			}
		}
		return if $low{$file} != $index{$file};
		my @circle;
		do {
			push @circle, pop @stack;
			delete $on{ $circle[-1] };
		} until $circle[-1] eq $file;
		push @circles, [ sort @circle ] if @circle > 1;
	};
	no warnings 'recursion';
	defined $index{$_} or $visit->($_) for sort keys %$calls;
	return @circles;
}

sub check_calls {
	my $calls = calls();
	die "$build has no objects: ./dev build makes them\n" unless %$calls;
	for my $file (sort keys %$calls) {
		for (sort keys %{ $calls->{$file} }) {
			fault("$file: calls $calls->{$file}{$_}() of $_, of a room above its own") if is_upward($file, $_);
		}
	}
	for my $circle (circles($calls)) {
		fault(scalar(@$circle) . " files call each other, more than $circle_max: @$circle") if @$circle > $circle_max;
	}
}

for my $file (grep { !m{^(tests|doc)/} } @files) {
	my $text = slurp($file);
	check_includes($file, $text);
	check_header($file, $text);
	check_clock($file, $text);
}
check_sizes();
check_calls();
exit $wrong;
