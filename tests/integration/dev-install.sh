#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# `./dev install PREFIX` after `./dev build` compiles nothing again, and names the variables that a prefix needs where
# neither pkg-config nor the loader looks. The tree is one of two files, with tools that write down what is asked of them.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

mkdir -p "$TAP_DIR/tree/build-aux" "$TAP_DIR/tree/page" "$TAP_DIR/tools"
cp "$LTTNGMAP_SRC/dev" "$TAP_DIR/tree/"
cd "$TAP_DIR/tree" || exit 1
touch build-aux/tap-driver.sh page/page.c a.c
export LOG=$TAP_DIR/log PATH=$TAP_DIR/tools:$PATH
unset PKG_CONFIG_PATH MAKEFLAGS
cat >configure <<'END'
#!/bin/bash
prefix=/usr/local
for argument; do [[ $argument != --prefix=* ]] || prefix=${argument#*=}; done
echo "configure $prefix" >>"$LOG"
{
	printf 'prefix = %s\nall: liba.la\n' "$prefix"
	printf '%s: %s\n\techo %s >>$(LOG)\n\ttouch $@\n' a.o ../a.c compile liba.la a.o link
	printf 'install: all\n\tmkdir -p $(prefix)\n\techo install $(prefix) >>$(LOG)\n'
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
dev 'configure /usr/local,compile,link,' build
dev "configure $prefix,link,install $prefix," install "$prefix"
like "$(<"$TAP_DIR/said")" "$advice" '  ... what programs of its users need is said'
dev "install $prefix," install "$prefix"
export FOUND=/usr
dev "install $prefix," install "$prefix"
like "$(<"$TAP_DIR/said")" "$advice" '  ... it is said, too'
export FOUND=$prefix
dev "install $prefix," install "$prefix"
is "$(grep -c PKG_CONFIG_PATH "$TAP_DIR/said")" 0 '  ... it is not needed'
done_testing
