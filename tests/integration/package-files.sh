#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What debian/ says of this tree is true of it: each file that is installed belongs to one
# package, each list names files that there are, and what ./dev needs to build is what the
# packages need. `./dev deb` and `./dev check-deb` make and try them.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

[[ -d $LTTNGMAP_SRC/debian ]] || skip_all "a source tarball has no debian/: that is the packager's"
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || skip_all 'a build with sanitizers is not for packages'

install_it() { make --no-print-directory V=0 -C "$LTTNGMAP_BUILD" install DESTDIR="$TAP_DIR/root" >"$TAP_DIR/installed" 2>&1; }
ok 'it installs' install_it
is "$(grep -E '^ *(CC|CXX|CCLD|CXXLD|GEN) |relinking' "$TAP_DIR/installed")" '' '  ... and nothing is made again'
prefix=$(sed -n 's/^prefix = //p' "$LTTNGMAP_BUILD/Makefile")
lines=$(python3 - "$TAP_DIR/root$prefix" "$LTTNGMAP_SRC/debian" <<'END'
import fnmatch
import glob
import os
import re
import sys

root, debian = sys.argv[1:]


def place(name):
    """Where Debian has it, of a name below our own prefix."""
    name = name.replace("share/zsh/site-functions", "share/zsh/vendor-completions")
    return "usr/" + re.sub("^lib/(liblttngmap|pkgconfig/|lttngmap/)", r"lib/TRIPLET/\1", name)


installed = []
for directory, folders, names in os.walk(root):
    for name in names + [f for f in folders if os.path.islink(os.path.join(directory, f))]:
        installed.append(place(os.path.relpath(os.path.join(directory, name), root)))
owners = {name: [] for name in installed}
# debian/rules copies these by itself.
with open(debian + "/rules", encoding="utf-8") as rules:
    copied = {to + name for name, to in re.findall(r"\tcp \S+/(\S+) debian/tmp/(\S+/)\n", rules.read())}
has_java = "usr/share/java/lttngmap-agent.jar" in owners
for path in glob.glob(debian + "/*.install") + [debian + "/not-installed"]:
    with open(path, encoding="utf-8") as lines:
        for pattern in lines.read().split():
            depth = pattern.count("/") + 1
            found = [n for n in installed if fnmatch.fnmatchcase("/".join(n.split("/")[:depth]), pattern)]
            for name in found:
                owners[name].append(os.path.basename(path))
            # Units are installed where configure was told to, and Java's parts where there is a compiler.
            if not found and pattern not in copied and "systemd" not in pattern and not ("java" in pattern and not has_java):
                print(f"{os.path.basename(path)} names {pattern}, which is not there")
for name, lists in sorted(owners.items()):
    if len(lists) != 1:
        print(f"{name} is in {', '.join(lists) or 'no list'}")
print(len(installed), "files")
END
)
like "$lines" '^[1-9][0-9]+ files$' 'each installed file is in one list, and each list is true' || diag "$lines"

# LTTng-UST's names, for builds that ask for them: CMake's find_library, makefiles with -llttng-ust.
compat=$TAP_DIR/root$prefix/lib/lttngmap/lttng-compat
is "$(find "$compat" -xtype l)" '' 'each name of LTTng-UST leads to a file of ours'
is "$(cd "$compat/lib" && LC_ALL=C && printf '%s ' liblttng-ust*.so | sed 's/liblttng-//g; s/\.so//g')" \
	'ust-common ust-cyg-profile-fast ust-cyg-profile ust-dl ust-fd ust-fork ust-libc-wrapper ust-pthread-wrapper ust-tracepoint ust ' \
	'  ... and there are all of them'
ok '  ... so that a program is built with these alone' "${LTTNGMAP_CC:-cc}" -w -I"$compat/include" \
	-I"$LTTNGMAP_SRC/tests/lttng" "$LTTNGMAP_SRC/tests/lttng/taken.c" -o "$TAP_DIR/taken" \
	-L"$compat/lib" -llttng-ust -llttng-ust-fork -ldl
like "$(LD_LIBRARY_PATH=$TAP_DIR/root$prefix/lib ldd "$TAP_DIR/taken")" 'liblttngmap\.so\.0 => ' '  ... and has our library'

# The package with LTTng-UST's names, beside the others: where its build looks without being told.
system=$TAP_DIR/system/usr
triplet=$("${LTTNGMAP_CC:-cc}" -dumpmachine | sed 's/-pc-/-/')
mkdir -p "$system/lib"
ln -s "$TAP_DIR/root$prefix/lib" "$system/lib/$triplet"
for directory in bin include share; do
	ln -s "$TAP_DIR/root$prefix/$directory" "$system/$directory"
done
while read -r from to; do
	from=/${from//'${DEB_HOST_MULTIARCH}'/"$triplet"} to=${to//'${DEB_HOST_MULTIARCH}'/"$triplet"}
	ok "/$to leads to $from" [ -e "$TAP_DIR/system${from%.gz}" ]
	ln -sn "$TAP_DIR/system${from%.gz}" "$TAP_DIR/system/$to"
done <"$LTTNGMAP_SRC/debian/liblttngmap-lttng-dev.links"
is "$(cd "$system/lib/$triplet" && LC_ALL=C && printf '%s ' liblttng-ust*.so)" \
	"$(cd "$compat/lib" && LC_ALL=C && printf '%s ' liblttng-ust*.so)" 'the package has the libraries of the prefix'

# build_by_cmake NAME: the program taken.c, with LTTng-UST as CMake finds it by itself below CMAKE_PREFIX_PATH.
build_by_cmake() {
	mkdir -p "$TAP_DIR/$1" && cat >"$TAP_DIR/$1/CMakeLists.txt" <<-END &&
		cmake_minimum_required(VERSION 3.18)
		project(taken C)
		find_package(LTTngUST 2.13 REQUIRED)
		if(NOT LTTNGUST_HAS_TRACEF OR NOT LTTNGUST_HAS_TRACELOG)
			message(FATAL_ERROR "no tracef, or no tracelog")
		endif()
		add_executable(taken $LTTNGMAP_SRC/tests/lttng/taken.c)
		target_include_directories(taken PRIVATE $LTTNGMAP_SRC/tests/lttng)
		target_compile_options(taken PRIVATE -w)
		target_link_libraries(taken PRIVATE LTTng::UST)
	END
	cmake -S "$TAP_DIR/$1" -B "$TAP_DIR/$1/build" "${@:2}" &&
		cmake --build "$TAP_DIR/$1/build"
}
if command -v cmake >/dev/null; then
	ok 'a project that asks CMake for LTTngUST is built by the package' \
		build_by_cmake package -DCMAKE_PREFIX_PATH="$system"
	ok '  ... and by the prefix' build_by_cmake prefix -DCMAKE_PREFIX_PATH="$compat"
	for name in package prefix; do
		like "$(LD_LIBRARY_PATH=$TAP_DIR/root$prefix/lib ldd "$TAP_DIR/$name/build/taken")" \
			'liblttngmap\.so\.0 => ' "  ... $name: with our library"
		is "$(ldd "$TAP_DIR/$name/build/taken" | grep -c lttng-ust)" 0 '  ... and no other'
	done
else
	skip 6 'cmake is not installed'
fi

# All that was installed finds its parts from its own place.
mv "$TAP_DIR/root$prefix" "$TAP_DIR/moved"
(
	cd "$TAP_DIR" || exit
	unset LTTNGMAP_SESSIOND LTTNGMAP_CONSUMERD LTTNGMAP_LIBDIR LD_LIBRARY_PATH
	moved/bin/lttngmap record -q -o trace --preload libc -- cat /proc/self/maps >maps 2>said
	PYTHONPATH=moved/lib/python3/dist-packages python3 -c 'import lttngmap
print(lttngmap.available, *{line.split()[-1] for line in open("/proc/self/maps") if "liblttngmap" in line})' >python
)
is "$(sed -n 's/.* \(.*liblttngmap.*\)/\1/p' "$TAP_DIR/maps" | sort -u | tr '\n' ' ')" \
	"$TAP_DIR/moved/lib/liblttngmap-libc.so $TAP_DIR/moved/lib/liblttngmap.so.0.0.0 " \
	'where it was moved to another place, a program gets the libraries there' || diag "$(<"$TAP_DIR/said")"
like "$(babeltrace2 "$TAP_DIR/trace" | wc -l)" '^[1-9]' '  ... and is recorded'
is "$(tr ' ' '\n' <"$TAP_DIR/python" | sort | tr '\n' ' ')" \
	"$TAP_DIR/moved/lib/liblttngmap-python.so $TAP_DIR/moved/lib/liblttngmap.so.0.0.0 True " '  ... also in Python'

needed=$(sed -n '/^build_packages=(/,/)/p' "$LTTNGMAP_SRC/dev" | grep -oE '[a-z0-9.+-]+-dev' | grep -vx libc6-dev | sort)
named=$(sed -n '/^Build-Depends:/,/^Standards/p' "$LTTNGMAP_SRC/debian/control" | grep -oE '[a-z0-9.+-]+-dev\b' | sort)
is "$named" "$needed" 'packages need what ./dev build needs'
done_testing
