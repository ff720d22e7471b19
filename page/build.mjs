// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// build.mjs SOURCES MODULES OUTPUT.c - all of the page but the data, as two arrays in C: what
// stands before the data and what stands behind it. Nothing is loaded when it is opened:
// script and style stand in it, and its policy names them by their hashes and allows no other.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [, , sources, modules, output] = process.argv;
const require = createRequire(join(resolve(modules), 'package.json'));
const esbuild = require('esbuild');
const read = (...path) => readFileSync(join(...path), 'utf8');
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

const bundle = await esbuild.build({
	entryPoints: [join(sources, 'main.js')],
	bundle: true,
	format: 'iife',
	target: 'es2020',
	charset: 'ascii',
	minify: true,
	legalComments: 'none',
	nodePaths: [resolve(modules)],
	write: false,
	logLevel: 'warning',
});
const script = bundle.outputFiles[0].text.replace(/<\/(script)/gi, '<\\/$1');
const style = read(modules, 'uplot/dist/uPlot.min.css') + '\n' + read(sources, 'style.css');
const policy = [
	"default-src 'none'",
	`script-src ${hash(script)}`,
	`style-src ${hash(style)}`,
	"base-uri 'none'",
	"form-action 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
].join('; ');
const parts = {
	CSP: `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
	STYLE: `<style>${style}</style>`,
	SCRIPT: `<script>${script}</script>`,
	LICENCE: escape(read(modules, 'uplot/LICENSE').trim()),
};
const page = read(sources, 'page.html').replace(/<!-- @(\w+)@ -->/g, (mark, name) => parts[name] ?? mark);
const [head, tail] = page.split('<!-- @DATA@ -->\n');

function array(name, text) {
	const bytes = Buffer.from(text, 'utf8');
	const lines = [];
	for (let i = 0; i < bytes.length; i += 24)
		lines.push('\t' + [...bytes.subarray(i, i + 24)].join(',') + ',');
	return `const unsigned char page_${name}[] = {\n${lines.join('\n')}\n};\n` +
		`const size_t page_${name}_size = sizeof(page_${name});\n`;
}

writeFileSync(output, '/* SPDX-License-Identifier: LGPL-2.1-or-later AND MIT */\n' +
	'/* SPDX-FileCopyrightText: 2026 The lttngmap authors; 2022 Leon Sorokin (uPlot) */\n' +
	'/* Made by page/build.mjs of the files beside it: change those. */\n' +
	'#include "cli/report/page.h"\n\n' + array('head', head) + '\n' + array('tail', tail));
