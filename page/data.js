// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// data.js - the bytes that stand in the page: base64, deflated, numbers of seven bits a byte.
// doc/design/report.md has the format.

export const index = JSON.parse(document.getElementById('index').textContent);

function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

export async function load(id) {
	const element = document.getElementById(id);
	if (!element)
		throw new Error(`the page is not whole: ${id} is missing`);
	const stream = new Blob([fromBase64(element.textContent)]).stream()
		.pipeThrough(new DecompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads from `at` to `end`. Numbers up to 2^53 are exact; big() is for all 64 bits.
export class Reader {
	constructor(bytes, at = 0, end = bytes.length) {
		this.bytes = bytes;
		this.at = at;
		this.end = end;
	}

	number() {
		const bytes = this.bytes;
		let byte = bytes[this.at++];
		if (byte < 0x80)
			return byte;
		let value = byte & 0x7f, scale = 128;
		do {
			byte = bytes[this.at++];
			value += (byte & 0x7f) * scale;
			scale *= 128;
		} while (byte >= 0x80);
		return value;
	}

	signed() {
		const value = this.number();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	// A number where it is exact, else a BigInt.
	signedExact() {
		const begin = this.at;
		const value = this.signed();
		if (this.at - begin <= 7)
			return value;
		this.at = begin;
		let all = 0n, shift = 0n, byte;
		do {
			byte = this.bytes[this.at++];
			all |= BigInt(byte & 0x7f) << shift;
			shift += 7n;
		} while (byte >= 0x80);
		return all & 1n ? -(all >> 1n) - 1n : all >> 1n;
	}

	section() {
		const size = this.number();
		const reader = new Reader(this.bytes, this.at, this.at + size);
		this.at += size;
		return reader;
	}
}

// Rows of extents: what happened in each while, see cli/report/page.h.
export class Row {
	constructor(kind, owner, depth, count) {
		this.kind = kind;
		this.owner = owner;
		this.depth = depth;
		this.begin = new Float64Array(count);
		this.end = new Float64Array(count);
		this.count = new Float64Array(count);
		this.busy = new Float64Array(count);
		this.name = new Uint32Array(count);
		this.coarser = new Map();
	}

	get length() {
		return this.begin.length;
	}

	// The first extent that begins at or after `time`.
	from(time) {
		let low = 0, high = this.length;
		while (low < high) {
			const middle = low + high >> 1;
			if (this.begin[middle] < time)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	// The same with all that begins in one bin of `width` made one; long slices stay.
	at(width) {
		if (width <= 1 || this.length < 64)
			return this;
		const power = Math.floor(Math.log2(width));
		let row = this.coarser.get(power);
		if (!row) {
			const finer = this.coarser.get(power - 1) ?? this.coarser.get(power - 2) ?? this;
			row = finer.merged(2 ** power);
			this.coarser.set(power, row);
			if (this.coarser.size > 8)
				this.coarser.delete(this.coarser.keys().next().value);
		}
		return row;
	}

	merged(width) {
		const all = this.length;
		const keep = new Uint32Array(all);
		const isLane = this.kind === LANE;
		let kept = -1, bin = NaN, isShort = false;
		for (let i = 0; i < all; i++) {
			const own = Math.floor(this.begin[i] / width);
			const short = !isLane || this.end[i] - this.begin[i] < width;
			if (own !== bin || !short || !isShort)
				kept++;
			keep[i] = kept;
			bin = own;
			isShort = short;
		}
		if (kept + 1 > all * 0.9)
			return this;
		const row = new Row(this.kind, this.owner, this.depth, kept + 1);
		let last = -1, longest = 0;
		for (let i = 0; i < all; i++) {
			const to = keep[i];
			if (to !== last) {
				row.begin[to] = this.begin[i];
				longest = -1;
				last = to;
			}
			row.end[to] = Math.max(row.end[to], this.end[i]);
			if (this.kind === LEVEL) {
				row.count[to] = this.count[i];
				row.busy[to] = Math.max(row.busy[to], this.busy[i]);
				continue;
			}
			row.count[to] += this.count[i];
			row.busy[to] += this.busy[i];
			if (this.busy[i] > longest) {
				longest = this.busy[i];
				row.name[to] = this.name[i];
			}
		}
		return row;
	}
}

export const CLASS = 0, TRACK = 1, CPU = 2, LANE = 3, LEVEL = 4;

// Spans stand as they were written: of nested calls an inner one may be before the outer one.
function sorted(row) {
	let inOrder = true;
	for (let i = 1; i < row.length && inOrder; i++)
		inOrder = row.begin[i - 1] <= row.begin[i];
	if (inOrder)
		return row;
	const order = Array.from({ length: row.length }, (_, i) => i)
		.sort((a, b) => row.begin[a] - row.begin[b] || row.end[b] - row.end[a]);
	const copy = new Row(row.kind, row.owner, row.depth, row.length);
	for (const member of ['begin', 'end', 'count', 'busy', 'name'])
		order.forEach((from, to) => { copy[member][to] = row[member][from]; });
	return copy;
}

export async function loadRows(name) {
	const reader = new Reader(await load(name));
	const shift = reader.number();
	const rows = [];
	for (let left = reader.number(); left > 0; left--) {
		const kind = reader.number(), owner = reader.number(), depth = reader.number();
		const row = new Row(kind, owner, depth, reader.number());
		let begin = 0;
		for (let i = 0; i < row.length; i++) {
			begin += reader.signed();
			row.begin[i] = begin;
			row.end[i] = begin + reader.number();
			row.count[i] = reader.number();
			row.busy[i] = reader.number();
			row.name[i] = reader.number();
		}
		rows.push(sorted(row));
	}
	return { width: 2 ** shift, rows };
}

export const texts = index.texts;
export const classes = index.classes.map(([name, events, fields], number) => ({
	name, events, number,
	fields: fields.map(([text, kind]) => ({ name: texts[text], kind })),
}));
export const processes = new Map(index.processes.map(([id, pid, name]) => [id, { id, pid, name, events: 0, threads: 0 }]));
export const tracks = index.tracks.map(([process, tid, cpu, events, name], number) => {
	const track = { process: processes.get(process), tid, cpu, events, name, number };
	track.process.events += events;
	track.process.threads += tid >= 0 ? 1 : 0;
	return track;
});
