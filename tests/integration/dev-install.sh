#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `./dev install PREFIX` after `./dev build` configures, compiles and links nothing again, and names the variables that a
# prefix needs where neither pkg-config nor the loader looks. The tree is one of two files, with tools that write down
# what is asked of them; package-files installs the real one. What make says of a Makefile made anew is no test's name.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

mkdir -p "$TAP_DIR/tree/build-aux" "$TAP_DIR/tree/page" "$TAP_DIR/tools"
cp "$LTTNGMAP_SRC/dev" "$TAP_DIR/tree/"
cd "$TAP_DIR/tree" || exit 1
touch build-aux/tap-driver.sh page/page.c a.c
export TAP_DIR LOG=$TAP_DIR/log PATH=$TAP_DIR/tools:$PATH
unset PKG_CONFIG_PATH MAKEFLAGS
cat >configure <<'END'
#!/bin/bash
echo configure >>"$LOG"
{
	printf 'prefix = %s/built\nall: liba.la\n' "$TAP_DIR"
	printf '%s: %s\n\techo %s >>$(LOG)\n\ttouch $@\n' a.o ../a.c compile liba.la a.o link
	printf 'list-tests:\n\t@echo config.status: creating Makefile\n\t@echo tests/unit/Makefile-rules\n'
	printf 'root = $(DESTDIR)$(prefix)\ninstall: all\n\techo install >>$(LOG)\n'
	printf '\tmkdir -p $(root)/lib/pkgconfig $(root)/share/folder\n\tln -s folder $(root)/share/link\n'
	printf '\techo prefix=$(prefix) >$(root)/lib/pkgconfig/a.pc\n\tcp liba.la $(root)/lib/\n'
} >Makefile
END
printf '#!/bin/sh\necho installed\n' >"$TAP_DIR/tools/dpkg-query"
printf '#!/bin/sh\n' >"$TAP_DIR/tools/ldconfig"
cat >"$TAP_DIR/tools/pkg-config" <<'END'
#!/bin/sh
[ -n "$FOUND" ] || exit 1
case $* in *--variable*) echo "$FOUND" ;; esac
END
chmod +x configure "$TAP_DIR/tools/"*

dev() { # LOG ARGUMENT...: what is asked of the tools meanwhile
	local expected=$1

	shift
	: >"$LOG"
	./dev "$@" >"$TAP_DIR/said" 2>&1 </dev/null
	is "$? $(tr '\n' ',' <"$LOG")" "0 $expected" "dev $*${FOUND:+, where pkg-config finds $FOUND}" || diag "$(<"$TAP_DIR/said")"
}
prefix=$TAP_DIR/prefix
advice="export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib"
dev 'configure,compile,link,' build
dev 'install,' install "$prefix"
is "$(cd "$prefix" && find . ! -type d | LC_ALL=C sort | tr '\n' ' ')$(<"$prefix/lib/pkgconfig/a.pc")" \
	"./lib/pkgconfig/a.pc ./share/link prefix=$prefix" '  ... it is there, and pkg-config is told where'
like "$(<"$TAP_DIR/said")" "$advice" '  ... what programs of its users need is said'
chmod 2775 "$prefix/share"
dev 'install,' install "$prefix"
is "$(stat -c %a "$prefix/share") $(readlink "$prefix/share/link")" '2775 folder' '  ... again, and directories stay as they are'
export FOUND=/usr
dev 'install,' install "$prefix"
like "$(<"$TAP_DIR/said")" "$advice" '  ... it is said, too'
export FOUND=$prefix
dev 'install,' install "$prefix"
is "$(grep -c PKG_CONFIG_PATH "$TAP_DIR/said")" 0 '  ... it is not needed'
./dev test Makefile >"$TAP_DIR/said" 2>&1 </dev/null
is "$?:$(<"$TAP_DIR/said")" "1:dev: there is no test 'Makefile'; these have such a name: tests/unit/Makefile-rules " \
	'dev test of an unknown name has tests alone in its answer'
done_testing
