// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// format.js - numbers and times as people read them; and text of anybody's making.
import { index } from './data.js';

export const integer = (n) => n.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');

// What moves the cursor, or turns the direction of writing, is shown as one sign.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
export const safe = (text) => text.replace(UNSEEN, '\ufffd');

const UNITS = [['ns', 1], ['µs', 1e3], ['ms', 1e6], ['s', 1e9]];

export function duration(ns) {
	let [unit, scale] = UNITS[0];
	for (const [name, size] of UNITS) {
		if (Math.abs(ns) >= size)
			[unit, scale] = [name, size];
	}
	const value = ns / scale;
	return (scale === 1 && Number.isInteger(value) ? String(value) : value.toPrecision(Math.abs(value) >= 1000 ? 6 : 4)) + ' ' + unit;
}

export function bytes(n) {
	for (const unit of ['B', 'KiB', 'MiB', 'GiB']) {
		if (Math.abs(n) < 1024 || unit === 'GiB')
			return (unit === 'B' ? String(n) : n.toFixed(1)) + ' ' + unit;
		n /= 1024;
	}
	return '';
}

// Nanoseconds since the first event, as seconds.
export function since(ns) {
	const whole = Math.floor(Math.abs(ns) / 1e9);
	const rest = String(Math.round(Math.abs(ns) - whole * 1e9)).padStart(9, '0');
	return `${ns < 0 ? '-' : ''}${whole}.${rest}`;
}

// For an axis: without the zeros at its end.
export const seconds = (ns) => `${since(ns).replace(/\.?0+$/, '')} s`;

const begin = BigInt(index.begin);
// The same since 1970, exact.
export const absolute = (ns) => begin + BigInt(Math.round(ns));

export function clock(ns) {
	const all = absolute(ns);
	const date = new Date(Number(all / 1000000n));
	const two = (n) => String(n).padStart(2, '0');
	return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.` +
		String(all % 1000000000n).padStart(9, '0');
}

export function value(v, kind) {
	if (kind === 't')
		return `"${safe(v)}"`;
	if (kind === 'r')
		return String(v);
	const bare = typeof v === 'bigint' || kind === 'i' || kind === 'u' ? v : BigInt(v);
	if (kind === 'x')
		return '0x' + bare.toString(16);
	if (kind === 'o')
		return '0' + bare.toString(8);
	if (kind === 'b')
		return '0b' + bare.toString(2);
	return v.toString();
}

export const processName = (process) =>
	safe(process.name) + (process.pid >= 0 ? ` ${process.pid}` : '');
