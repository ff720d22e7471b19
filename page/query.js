// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// query.js - which events: words and conditions, all of which hold.
//
//	word  "two words"  event:GLOB  process:NAME|PID  thread:TID  cpu:N
//	FIELD=VALUE  FIELD!=VALUE  FIELD<VALUE  ...  FIELD~PART, each also with - before it
import { classes, tracks } from './data.js';
import { value } from './format.js';

function words(text) {
	const found = [];
	const pattern = /(?:[^\s"]|"[^"]*"?)+/g;
	for (const [word] of text.matchAll(pattern))
		found.push(word.replace(/"/g, ''));
	return found;
}

// Steps as many as letters, but for those that the last * takes again.
function matches(pattern, text) {
	let p = 0, t = 0, star = -1, taken = 0;
	while (t < text.length) {
		if (pattern[p] === '*') {
			star = p++;
			taken = t;
		} else if (pattern[p] === text[t]) {
			p++;
			t++;
		} else if (star >= 0) {
			p = star + 1;
			t = ++taken;
		} else {
			return false;
		}
	}
	while (pattern[p] === '*')
		p++;
	return p === pattern.length;
}

function number(text) {
	if (/^[-+]?(0x[0-9a-f]+|\d+)$/i.test(text)) {
		const negative = text.startsWith('-');
		const all = BigInt(text.replace(/^[-+]/, ''));
		return negative ? -all : all;
	}
	return text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : null;
}

const COMPARE = {
	'=': (a, b) => a == b,
	'!=': (a, b) => a != b,
	'<': (a, b) => a < b,
	'>': (a, b) => a > b,
	'<=': (a, b) => a <= b,
	'>=': (a, b) => a >= b,
};

function fieldTerm(name, operator, text) {
	const wanted = number(text);
	const compare = COMPARE[operator];
	return classes.map((class_) => {
		const field = class_.fields.findIndex((f) => f.name === name);
		if (field < 0)
			return () => false;
		const { kind } = class_.fields[field];
		if (operator === '~')
			return (block, i) => value(block.field(i, field), kind).toLowerCase()
				.includes(text.toLowerCase());
		if (kind === 't' && (operator === '=' || operator === '!='))
			return (block, i) => matches(text, block.field(i, field)) === (operator === '=');
		if (wanted === null)
			return () => false;
		return (block, i) => {
			const v = block.field(i, field);
			return compare(kind === 't' ? number(v) ?? NaN : v, wanted);
		};
	});
}

function wordTerm(text) {
	const wanted = text.toLowerCase();
	const ofTrack = tracks.map((track) => track.process.name.toLowerCase().includes(wanted));
	return classes.map((class_) => {
		if (class_.name.toLowerCase().includes(wanted))
			return () => true;
		return (block, i) => ofTrack[block.track[i]] || class_.fields.some(({ name, kind }, field) =>
			`${name}=${value(block.field(i, field), kind)}`.toLowerCase().includes(wanted));
	});
}

function trackTerm(holds) {
	const ofTrack = tracks.map(holds);
	return classes.map(() => (block, i) => ofTrack[block.track[i]]);
}

// A test of (block, i) for each class.
function term(word) {
	const [, key, text] = /^(event|process|thread|cpu):(.*)$/.exec(word) ?? [];
	if (key === 'event') {
		return classes.map((class_) => {
			const holds = matches(text, class_.name) || (!text.includes(':') && matches(`*:${text}`, class_.name));
			return () => holds;
		});
	}
	if (key === 'process')
		return trackTerm(({ process }) => String(process.pid) === text || matches(text, process.name));
	if (key === 'thread')
		return trackTerm(({ tid }) => String(tid) === text);
	if (key === 'cpu')
		return classes.map(() => (block, i) => String(block.cpu[i]) === text);
	const [, field, operator, wanted] = /^([A-Za-z_][\w.]*)(!=|<=|>=|=|<|>|~)(.*)$/.exec(word) ?? [];
	return field ? fieldTerm(field, operator, wanted) : wordTerm(word);
}

// A test of (block, i), or null: all.
export function compile(text) {
	const terms = words(text).map((word) => {
		const isNot = word.length > 1 && word.startsWith('-');
		const tests = term(isNot ? word.slice(1) : word);
		return isNot ? tests.map((test) => (block, i) => !test(block, i)) : tests;
	});
	if (terms.length === 0)
		return null;
	return (block, i) => terms.every((tests) => tests[block.class[i]](block, i));
}
