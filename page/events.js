// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// events.js - blocks of events and of slices, read when somebody asks for them. What was
// asked for longest ago is forgotten.
import { index, classes, load, Reader } from './data.js';

const BLOCKS_KEPT = 48;
const decoder = new TextDecoder();

class Cache {
	constructor(make) {
		this.make = make;
		this.blocks = new Map();
	}

	// The block if it is there; else it is being read, and `then` is called once it is.
	peek(number, then) {
		const entry = this.blocks.get(number);
		if (entry?.block) {
			this.blocks.delete(number);
			this.blocks.set(number, entry);
			return entry.block;
		}
		const promise = this.get(number);
		if (then)
			promise.then(then, () => {});
		return null;
	}

	get(number) {
		let entry = this.blocks.get(number);
		if (!entry) {
			entry = { block: null, promise: this.make(number) };
			entry.promise.then((block) => { entry.block = block; }, () => this.blocks.delete(number));
			this.blocks.set(number, entry);
			if (this.blocks.size > BLOCKS_KEPT)
				this.blocks.delete(this.blocks.keys().next().value);
		}
		return entry.promise;
	}
}

// ---- events -----------------------------------------------------------------------

function column(reader, kind, count) {
	const values = new Array(count);
	if (kind === 't') {
		for (let i = 0; i < count; i++) {
			const size = reader.number();
			values[i] = decoder.decode(reader.bytes.subarray(reader.at, reader.at + size));
			reader.at += size;
		}
	} else if (kind === 'r') {
		const view = new DataView(reader.bytes.buffer, reader.bytes.byteOffset);
		for (let i = 0; i < count; i++, reader.at += 8)
			values[i] = view.getFloat64(reader.at, true);
	} else {
		const wrap = kind === 'i' ? BigInt.asIntN : BigInt.asUintN;
		let value = 0;
		for (let i = 0; i < count; i++) {
			const delta = reader.signedExact();
			if (typeof value === 'number' && typeof delta === 'number')
				value += delta;
			else
				value = BigInt(value) + BigInt(delta);
			if (typeof value === 'bigint' || !Number.isSafeInteger(value) || (kind !== 'i' && value < 0)) {
				value = wrap(64, BigInt(value));
				if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER)
					value = Number(value);
			}
			values[i] = value;
		}
	}
	return values;
}

export class EventBlock {
	constructor(number, bytes) {
		const reader = new Reader(bytes);
		const count = this.count = reader.number();
		this.number = number;
		this.first = firstOf[number];
		this.time = new Float64Array(count);
		this.class = new Uint32Array(count);
		this.track = new Uint32Array(count);
		this.cpu = new Int32Array(count);
		this.nth = new Uint32Array(count); // of the events of its class
		this.columns = new Map();
		let time = reader.signed();
		let section = reader.section();
		for (let i = 0; i < count; i++)
			this.time[i] = time += section.signed();
		for (const name of ['class', 'track', 'cpu']) {
			const numbers = this[name];
			section = reader.section();
			for (let i = 0; i < count; i++)
				numbers[i] = section.number();
		}
		const seen = new Map();
		for (let i = 0; i < count; i++) {
			const nth = seen.get(this.class[i]) ?? 0;
			this.cpu[i]--;
			this.nth[i] = nth;
			seen.set(this.class[i], nth + 1);
		}
		while (reader.at < bytes.length) {
			const number = reader.number();
			this.columns.set(number, classes[number].fields.map((field) =>
				({ reader: reader.section(), kind: field.kind, count: seen.get(number), values: null })));
		}
	}

	field(i, field) {
		const column_ = this.columns.get(this.class[i])[field];
		column_.values ??= column(column_.reader, column_.kind, column_.count);
		return column_.values[this.nth[i]];
	}
}

let sum = 0;
const firstOf = index.blocks.map(([count]) => (sum += count) - count);

export const events = new Cache(async (number) => new EventBlock(number, await load(`e${number}`)));

// In which block is the event of that number?
export function blockOf(event) {
	let low = 0, high = firstOf.length - 1;
	while (low < high) {
		const middle = low + high + 1 >> 1;
		if (firstOf[middle] <= event)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

// ---- slices ------------------------------------------------------------------------

class SliceBlock {
	constructor(bytes) {
		const reader = new Reader(bytes);
		const count = this.count = reader.number();
		const section = reader.section();
		this.begin = new Float64Array(count);
		this.end = new Float64Array(count);
		this.isCut = new Uint8Array(count);
		this.name = new Uint32Array(count);
		this.lanes = new Map(); // by laneKey(): numbers of slices, by time
		let end = 0;
		for (let i = 0; i < count; i++) {
			end += section.signed();
			const length = section.number();
			this.end[i] = end;
			this.isCut[i] = length % 2;
			this.begin[i] = end - Math.floor(length / 2);
			const key = laneKey(section.number(), section.number());
			this.name[i] = section.number();
			const lane = this.lanes.get(key);
			if (lane)
				lane.push(i);
			else
				this.lanes.set(key, [i]);
		}
		for (const lane of this.lanes.values())
			lane.sort((a, b) => this.begin[a] - this.begin[b] || this.end[b] - this.end[a]);
	}
}

export const laneKey = (track, depth) => track * 131072 + depth;

const shorts = new Cache(async (number) => new SliceBlock(await load(`s${number}`)));
const longs = new Cache(async (number) => new SliceBlock(await load(`l${number}`)));

// The blocks that have slices between two times; null where there are more than `most` of them,
// or where some are yet to be read: then `then` is called when one more is there.
export function sliceBlocks(from, to, most, then) {
	if (index.slicesKept < index.slices)
		return null;
	const wanted = [];
	for (const [list, cache] of [[index.shorts, shorts], [index.longs, longs]]) {
		list.forEach(([, begin, end], number) => {
			if (begin <= to && end >= from)
				wanted.push([cache, number]);
		});
	}
	if (wanted.length > most)
		return null;
	const blocks = wanted.map(([cache, number]) => cache.peek(number, then));
	return blocks.includes(null) ? null : blocks;
}

export function eventBlocks(from, to, most, then) {
	const wanted = [];
	index.blocks.forEach(([, begin, end], number) => {
		if (begin <= to && end >= from)
			wanted.push(number);
	});
	if (wanted.length > most || index.kept < index.events)
		return null;
	const blocks = wanted.map((number) => events.peek(number, then));
	return blocks.includes(null) ? null : blocks;
}
