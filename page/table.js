// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// table.js - the events, one a row: as many rows as are seen, whatever their number; and
// the search, which reads one block after the other and shows what it found so far.
import { index, classes, tracks } from './data.js';
import { blockOf, events } from './events.js';
import { clock, integer, processName, safe, since, value } from './format.js';
import { compile } from './query.js';
import { moved } from './meter.js';

const ROW = 22;
// No browser has elements as high as millions of rows.
const HEIGHT_MOST = 8e6;
const TEXT_MOST = 600;
const COLUMNS = ['n', 'time', 'delta', 'process', 'thread', 'cpu', 'event', 'fields'];
const TITLES = ['#', 'time', 'since the last', 'process', 'thread', 'cpu', 'event', 'fields'];

const body = document.getElementById('body');
const rows = document.getElementById('rows');
const found = document.getElementById('found');
const query = document.getElementById('query');
const inRange = document.getElementById('in-range');

let matches = null; // numbers of events; null: all of them
let count = index.kept;
let top = 0, here = 0;
let search = 0; // the one that runs
let range = null;
let isAsked = false;

// ---- rows ---------------------------------------------------------------------------

const eventAt = (row) => (matches ? matches[row] : row);

function fieldsText(block, i) {
	let text = '';
	classes[block.class[i]].fields.forEach(({ name, kind }, field) => {
		if (text.length < TEXT_MOST)
			text += `${text ? ' ' : ''}${safe(name)}=${value(block.field(i, field), kind)}`;
	});
	return text.length > TEXT_MOST ? `${text.slice(0, TEXT_MOST)}…` : text;
}

function textsOf(row) {
	const number = eventAt(row);
	const block = events.peek(blockOf(number), ask);
	if (!block)
		return [integer(number + 1), '…', '', '', '', '', '', ''];
	const i = number - block.first;
	const before = row > 0 ? eventAt(row - 1) : -1;
	const other = before < 0 ? null : events.peek(blockOf(before), ask);
	const track = tracks[block.track[i]];
	return [
		integer(number + 1),
		clock(block.time[i]),
		other ? `+${since(block.time[i] - other.time[before - other.first])}` : '',
		processName(track.process),
		track.tid >= 0 ? String(track.tid) : '',
		block.cpu[i] >= 0 ? String(block.cpu[i]) : '',
		safe(classes[block.class[i]].name),
		fieldsText(block, i),
	];
}

const visible = () => Math.max(Math.floor(body.clientHeight / ROW), 1);
const lastTop = () => Math.max(count - visible(), 0);

function makeRow() {
	const line = document.createElement('div');
	line.setAttribute('role', 'row');
	for (const name of COLUMNS) {
		const cell = document.createElement('span');
		cell.setAttribute('role', 'cell');
		cell.className = name;
		line.append(cell);
	}
	return line;
}

function draw() {
	isAsked = false;
	if (body.clientHeight === 0)
		return;
	const wanted = Math.min(visible() + 1, Math.max(count - top, 0));
	while (rows.children.length < wanted)
		rows.append(makeRow());
	while (rows.children.length > wanted)
		rows.lastChild.remove();
	for (let i = 0; i < wanted; i++) {
		const line = rows.children[i];
		const texts = textsOf(top + i);
		line.className = top + i === here ? 'here' : '';
		line.setAttribute('aria-rowindex', String(top + i + 1));
		texts.forEach((text, cell) => {
			const element = line.children[cell];
			if (element.textContent !== text)
				element.textContent = text;
		});
		line.lastChild.title = texts[7];
	}
}

function ask() {
	if (isAsked)
		return;
	isAsked = true;
	requestAnimationFrame(draw);
}

function spacerHeight() {
	return Math.min(count * ROW, HEIGHT_MOST);
}

function resize() {
	document.getElementById('spacer').style.height = `${spacerHeight()}px`;
	top = Math.min(top, lastTop());
	ask();
}

// The bar follows; what it says then is not to be taken for somebody's scrolling.
let expected = -1;
function moveTo(row) {
	top = Math.min(Math.max(Math.round(row), 0), lastTop());
	const scrolled = lastTop() > 0 ? top / lastTop() * (spacerHeight() - body.clientHeight) : 0;
	body.scrollTop = scrolled;
	expected = body.scrollTop;
	moved();
	ask();
}

function scrolled() {
	if (Math.abs(body.scrollTop - expected) < 1)
		return;
	expected = -1;
	top = Math.min(Math.round(body.scrollTop / Math.max(spacerHeight() - body.clientHeight, 1) * lastTop()), lastTop());
	moved();
	ask();
}

function go(row) {
	here = Math.min(Math.max(row, 0), Math.max(count - 1, 0));
	if (here < top)
		moveTo(here);
	else if (here >= top + visible())
		moveTo(here - visible() + 1);
	ask();
}

const KEYS = {
	ArrowDown: () => go(here + 1),
	ArrowUp: () => go(here - 1),
	PageDown: () => go(here + visible()),
	PageUp: () => go(here - visible()),
	Home: () => go(0),
	End: () => go(count - 1),
};

// ---- search -------------------------------------------------------------------------

function say(text, isDone) {
	found.textContent = text;
	found.dataset.count = String(count);
	found.dataset.done = String(isDone);
}

function summary() {
	const all = index.kept < index.events ? `the first ${integer(index.kept)}` : integer(index.events);
	return `${integer(count)} of ${all} events`;
}

class Found {
	constructor() {
		this.numbers = new Uint32Array(1024);
		this.count = 0;
	}

	push(number) {
		if (this.count === this.numbers.length) {
			const larger = new Uint32Array(this.count * 2);
			larger.set(this.numbers);
			this.numbers = larger;
		}
		this.numbers[this.count++] = number;
	}
}

const pause = () => new Promise((resolve) => setTimeout(resolve));

async function run() {
	const own = ++search;
	const test = compile(query.value);
	const time = inRange.checked ? range : null;
	top = here = 0;
	if (!test && !time) {
		matches = null;
		count = index.kept;
		say(summary(), true);
		moveTo(0);
		resize();
		return;
	}
	const result = new Found();
	let shownAt = performance.now();
	for (let b = 0; b < index.blocks.length; b++) {
		const [, from, to] = index.blocks[b];
		if (time && (to < time[0] || from > time[1]))
			continue;
		const block = await events.get(b);
		if (own !== search)
			return;
		for (let i = 0; i < block.count; i++) {
			if (time && (block.time[i] < time[0] || block.time[i] > time[1]))
				continue;
			if (!test || test(block, i))
				result.push(block.first + i);
		}
		if (performance.now() - shownAt > 60) {
			matches = result.numbers;
			count = result.count;
			say(`${integer(count)} so far, ${Math.round(100 * b / index.blocks.length)} % searched`, false);
			resize();
			await pause();
			shownAt = performance.now();
		}
	}
	if (own !== search)
		return;
	matches = result.numbers;
	count = result.count;
	say(summary(), true);
	resize();
}

function start() {
	found.dataset.done = 'false';
	run().catch((error) => say(`not all could be read: ${error.message}`, true));
}

let timer = 0;
function later() {
	clearTimeout(timer);
	found.dataset.done = 'false';
	timer = setTimeout(start, 200);
}

export function setRange(selected) {
	range = selected;
	if (inRange.checked)
		start();
}

export function find(text, withRange) {
	query.value = text;
	inRange.checked = Boolean(withRange);
	start();
}

export const showTable = resize;

export function table() {
	const head = makeRow();
	head.id = 'head';
	[...head.children].forEach((cell, i) => {
		cell.textContent = TITLES[i];
		cell.setAttribute('role', 'columnheader');
	});
	document.getElementById('head').replaceWith(head);
	document.getElementById('table').setAttribute('aria-rowcount', String(index.events));
	body.addEventListener('scroll', scrolled);
	body.addEventListener('wheel', (event) => {
		event.preventDefault();
		moveTo(top + (event.deltaMode === 1 ? event.deltaY : Math.sign(event.deltaY) * Math.ceil(Math.abs(event.deltaY) / ROW)));
	}, { passive: false });
	body.addEventListener('click', (event) => {
		const line = event.target.closest('#rows > div');
		if (line)
			go(top + [...rows.children].indexOf(line));
	});
	document.getElementById('table').addEventListener('keydown', (event) => {
		if (KEYS[event.key] && !event.ctrlKey && !event.metaKey) {
			KEYS[event.key]();
			event.preventDefault();
		}
	});
	document.getElementById('search').addEventListener('submit', (event) => {
		event.preventDefault();
		start();
	});
	query.addEventListener('input', later);
	inRange.addEventListener('change', start);
	new ResizeObserver(resize).observe(body);
	say(summary(), true);
}
