// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// timeline.js - time from left to right, on a canvas. From afar it draws what the trace was
// summed up to; near by, where few enough slices and events are seen, these themselves.
import { index, texts, tracks } from './data.js';
import { eventBlocks, laneKey, sliceBlocks } from './events.js';
import { absolute, clock, duration, processName, safe, since } from './format.js';
import { colourOf, style } from './chart.js';
import { GAP, groups, HEAD, LANE_HEIGHT, layout, STRIP } from './timeline-rows.js';
import { element } from './lists.js';
import { moved } from './meter.js';

const RULER = 22;
const BLOCKS_MOST = 12;
const NARROWEST = 20; // ns that are shown at least

const canvas = document.getElementById('lanes-canvas');
const details = document.getElementById('slice');
let context, all, placed, onRange;
let from = index.first, to = Math.max(index.last, index.first + 1000);
let top = 0, labels = 190;
let selected = null; // [from, to]
let slice = null; // { track, depth, begin, end, name, isCut }
let isAsked = false;
let theme = {};
let wanted = null; // a slice to be shown once its block is there

const width = () => canvas.clientWidth - labels;
const xOf = (time) => labels + (time - from) / (to - from) * width();
const timeOf = (x) => from + (x - labels) / width() * (to - from);

// ---- drawing ----------------------------------------------------------------------

function ask() {
	if (isAsked)
		return;
	isAsked = true;
	requestAnimationFrame(draw);
}

function step() {
	const least = (to - from) / Math.max(width() / 110, 1);
	const power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least) ?? power;
}

function drawRuler(height) {
	const size = Math.max(step(), 1);
	context.fillStyle = theme.panel;
	context.fillRect(0, 0, canvas.clientWidth, RULER);
	const first = Math.ceil(from / size) * size;
	// As many as there is room for: far out, a time and a step may make the same time.
	for (let i = 0; i <= width() / 100 && first + i * size <= to; i++) {
		const time = first + i * size;
		const x = xOf(time);
		context.fillStyle = theme.line;
		context.fillRect(x, RULER, 1, height);
		context.fillStyle = theme.faint;
		context.fillText(tick(time, size), x + 3, 15);
	}
}

// As many digits as the step wants.
function tick(time, size) {
	const digits = Math.max(0, 9 - Math.floor(Math.log10(size)));
	const text = since(Math.round(time));
	return `${text.slice(0, text.indexOf('.') + (digits > 0 ? 1 + digits : 0))} s`;
}

function label(text, x, y, room) {
	const letters = Math.floor(room / 6.7);
	if (letters >= 2)
		context.fillText(text.length > letters ? `${text.slice(0, letters - 1)}…` : text, x, y);
}

// How many events, by the strength of the colour.
function drawStrip(row, y) {
	const strip = row.strip?.at((to - from) / width() * 2);
	if (!strip)
		return;
	context.fillStyle = theme.accent;
	let i = Math.max(strip.from(from) - 1, 0), drawn = -1;
	for (; i < strip.length && strip.begin[i] <= to; i++) {
		const x = Math.max(xOf(strip.begin[i]), labels);
		const wide = Math.max(Math.min(xOf(strip.end[i]), canvas.clientWidth) - x, 1.5);
		if (strip.end[i] < from || (x < drawn + 1 && strip.count[i] < 2))
			continue;
		context.globalAlpha = Math.min(0.25 + Math.log2(1 + strip.count[i]) / 14, 1);
		context.fillRect(x, y, wide, STRIP - 3);
		drawn = x;
	}
	context.globalAlpha = 1;
}

function drawTicks(row, blocks, y) {
	context.fillStyle = theme.accent;
	for (const block of blocks) {
		let drawn = -1;
		for (let i = 0; i < block.count; i++) {
			const time = block.time[i];
			if (time < from || time > to || (row.track ? block.track[i] !== row.track.number : block.cpu[i] !== row.strip.owner))
				continue;
			const x = xOf(time);
			if (x - drawn < 1)
				continue;
			context.fillRect(x, y, 1.5, STRIP - 3);
			drawn = x;
		}
	}
}

const short = new Map();
function nameOf(number) {
	let text = short.get(number);
	if (text === undefined)
		short.set(number, text = safe(texts[number]));
	return text;
}

function drawSlice(begin, end, number, share, y, isHere) {
	const x = Math.max(xOf(begin), labels), right = Math.min(xOf(end), canvas.clientWidth);
	const wide = Math.max(right - x, 1);
	context.globalAlpha = 0.35 + 0.65 * share;
	context.fillStyle = colourOf(texts[number]);
	context.fillRect(x, y, wide > 3 ? wide - 0.5 : wide, LANE_HEIGHT - 1);
	context.globalAlpha = 1;
	if (wide > 24 && share > 0.5) {
		context.fillStyle = theme.sliceText;
		label(nameOf(number), x + 3, y + 12, wide - 5);
	}
	if (isHere) {
		context.strokeStyle = theme.text;
		context.lineWidth = 2;
		context.strokeRect(x, y, wide, LANE_HEIGHT - 1);
	}
}

function drawLane(row, y) {
	const lane = row?.at((to - from) / width());
	if (!lane)
		return;
	let i = lane.from(from);
	// What began before may reach in; the extents of a lane follow each other.
	for (let back = 0; i > 0 && back < 8; back++, i--) {
		if (lane.end[i - 1] < from && back > 0)
			break;
	}
	let drawn = -1;
	for (; i < lane.length && lane.begin[i] <= to; i++) {
		if (lane.end[i] < from || xOf(lane.end[i]) < drawn + 1)
			continue;
		const length = lane.end[i] - lane.begin[i];
		drawSlice(lane.begin[i], lane.end[i], lane.name[i], length > 0 ? Math.min(lane.busy[i] / length, 1) : 1, y, false);
		drawn = Math.max(xOf(lane.begin[i]), xOf(lane.end[i]));
	}
}

function* exact(blocks, track, depth) {
	for (const block of blocks) {
		for (const i of block.lanes.get(laneKey(track.number, depth)) ?? []) {
			if (block.begin[i] > to)
				break;
			if (block.end[i] >= from)
				yield { track, depth, begin: block.begin[i], end: block.end[i], name: block.name[i], isCut: block.isCut[i] === 1 };
		}
	}
}

const isSame = (a, b) => a && b && a.track === b.track && a.depth === b.depth && a.begin === b.begin && a.end === b.end;

function drawExact(blocks, row, depth, y) {
	let drawn = -1;
	for (const one of exact(blocks, row.track, depth)) {
		const right = xOf(one.end);
		if (right < drawn + 0.7 && !isSame(one, slice))
			continue;
		drawSlice(one.begin, one.end, one.name, one.isCut ? 0.6 : 1, y, isSame(one, slice));
		drawn = right;
	}
}

function drawRow(row, y, near) {
	context.fillStyle = row.kind === 'group' ? theme.panel : theme.ground;
	if (row.kind === 'group') {
		context.fillRect(0, y, canvas.clientWidth, HEAD - 1);
		context.fillStyle = theme.text;
		context.fillText(row.group.isOpen ? '▾' : '▸', 6, y + 15);
		label(row.label, 22, y + 15, canvas.clientWidth - 30);
		return;
	}
	if (near.events)
		drawTicks(row, near.events, y + 2);
	else
		drawStrip(row, y + 2);
	for (let depth = 0; depth < row.depth; depth++) {
		const at = y + STRIP + depth * LANE_HEIGHT;
		if (near.slices)
			drawExact(near.slices, row, depth, at);
		else
			drawLane(row.lanes[depth], at);
	}
	context.fillStyle = theme.ground;
	context.fillRect(0, y, labels - 2, row.height - GAP + 4);
	context.fillStyle = theme.faint;
	label(row.label, 12, y + 12, labels - 16);
}

function drawMarks(height) {
	context.fillStyle = theme.lost;
	for (const [begin, end] of index.lost) {
		const x = xOf(begin);
		if (x >= labels && x <= canvas.clientWidth)
			context.fillRect(x, RULER - 8, Math.max(xOf(end) - x, 2), height);
	}
	if (!selected)
		return;
	const x = Math.max(xOf(selected[0]), labels), right = Math.max(xOf(selected[1]), labels);
	context.globalAlpha = 0.18;
	context.fillStyle = theme.accent;
	context.fillRect(x, 0, Math.max(right - x, 1), height);
	context.globalAlpha = 1;
}

function draw() {
	isAsked = false;
	const ratio = devicePixelRatio || 1;
	const wide = canvas.clientWidth, height = canvas.clientHeight;
	if (wide === 0 || height === 0)
		return;
	if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(wide * ratio);
		canvas.height = Math.round(height * ratio);
	}
	labels = wide < 600 ? 110 : 190;
	context = canvas.getContext('2d', { alpha: false });
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.font = '11.5px ui-monospace, "DejaVu Sans Mono", monospace';
	context.fillStyle = theme.ground;
	context.fillRect(0, 0, wide, height);
	top = Math.min(Math.max(top, 0), Math.max(placed.height - height + RULER + 20, 0));
	const near = {
		slices: sliceBlocks(from, to, BLOCKS_MOST, ask),
		events: eventBlocks(from, to, 2, ask),
	};
	drawRuler(height);
	context.save();
	context.beginPath();
	context.rect(0, RULER, wide, height - RULER);
	context.clip();
	for (const row of placed.rows) {
		const y = row.y - top + RULER;
		if (y < height && y + row.height > RULER)
			drawRow(row, y, near);
	}
	context.restore();
	drawMarks(height);
	canvas.dataset.exact = String(Boolean(near.slices));
	canvas.dataset.from = String(from);
	canvas.dataset.to = String(to);
	document.getElementById('range').textContent = `${clock(from)} + ${duration(Math.round(to - from))}`;
	if (wanted && near.slices)
		takeWanted(near.slices);
}

// ---- moving -----------------------------------------------------------------------

export function show(a, b) {
	const least = index.first, most = Math.max(index.last, least + 1000);
	// Times of many days are not told from each other to the nanosecond.
	const narrowest = Math.max(NARROWEST, Math.max(Math.abs(a), Math.abs(b)) * 2 ** -44);
	const length = Math.min(Math.max(b - a, narrowest), Math.max((most - least) * 1.1, narrowest));
	const middle = Math.min(Math.max((a + b) / 2, least), most);
	from = middle - length / 2;
	to = middle + length / 2;
	if (length >= most - least) {
		from = (least + most) / 2 - length / 2;
		to = from + length;
	}
	moved();
	ask();
}

export const zoom = (factor, at = (from + to) / 2) =>
	show(at - (at - from) * factor, at + (to - at) * factor);
export const move = (share) => show(from + (to - from) * share, to + (to - from) * share);
export const showAll = () => show(index.first, Math.max(index.last, index.first + 1000));

function scroll(pixels) {
	top += pixels;
	moved();
	ask();
}

export const rangeShown = () => selected ?? [from, to];

// ---- slices -------------------------------------------------------------------------

function tell() {
	const parts = slice ? [
		['slice', nameOf(slice.name)],
		['begin', `${clock(slice.begin)}`],
		['end', `${clock(slice.end)}${slice.isCut ? ' (cut: its end is not known)' : ''}`],
		['took', duration(slice.end - slice.begin)],
		['thread', `${processName(slice.track.process)} / ${slice.track.tid}`],
		['depth', String(slice.depth)],
	] : [];
	details.replaceChildren(...parts.map(([name, text]) => {
		const part = element('div');
		part.append(element('dt', name), element('dd', text));
		return part;
	}));
	details.dataset.begin = slice ? String(absolute(slice.begin)) : '';
	details.dataset.end = slice ? String(absolute(slice.end)) : '';
	details.dataset.name = slice ? texts[slice.name] : '';
}

function take(found) {
	slice = found;
	tell();
	ask();
}

function rowAt(y) {
	return placed.rows.find((row) => y >= row.y - top + RULER && y < row.y - top + RULER + row.height);
}

function sliceAt(x, y) {
	const row = rowAt(y);
	const blocks = sliceBlocks(from, to, BLOCKS_MOST, ask);
	if (!row || row.kind !== 'thread' || !blocks)
		return null;
	const depth = Math.floor((y - (row.y - top + RULER) - STRIP) / LANE_HEIGHT);
	const time = timeOf(x), near = (to - from) / width() * 2;
	let best = null;
	for (const one of depth >= 0 ? exact(blocks, row.track, depth) : []) {
		const away = Math.max(one.begin - time, time - one.end, 0);
		if (away <= near && (!best || away < best.away || (away === best.away && one.end - one.begin < best.one.end - best.one.begin)))
			best = { one, away };
	}
	return best?.one ?? null;
}

// From afar there is no slice to be taken: what is under the pointer is shown nearer.
function click(x, y) {
	const row = rowAt(y);
	if (row?.kind === 'group') {
		row.group.isOpen = !row.group.isOpen;
		placed = layout(all);
		ask();
		return;
	}
	if (x >= labels)
		take(sliceAt(x, y));
}

// The slices of a thread in the order of their begin, near the one that is taken.
function neighbour(direction) {
	const blocks = sliceBlocks(from, to, BLOCKS_MOST, ask);
	if (!blocks)
		return;
	const track = slice?.track ?? placed.rows.find((row) => row.kind === 'thread' && row.depth > 0)?.track;
	const list = [];
	for (let depth = 0; track && depth < 256; depth++) {
		for (const one of exact(blocks, track, depth))
			list.push(one);
	}
	list.sort((a, b) => a.begin - b.begin || a.depth - b.depth);
	const at = list.findIndex((one) => isSame(one, slice));
	const next = at < 0 ? list[0] : list[at + direction];
	if (next)
		take(next);
}

function takeWanted(blocks) {
	for (let depth = 0; depth < 256; depth++) {
		for (const one of exact(blocks, wanted.track, depth)) {
			if (one.begin === wanted.begin && one.end === wanted.end) {
				wanted = null;
				take(one);
				return;
			}
		}
	}
	wanted = null;
}

export function showSlice(track, begin, length) {
	const row = all.flatMap((group) => group.children).find((child) => child.track?.number === track);
	for (const group of all)
		group.isOpen ||= group.children.includes(row);
	placed = layout(all);
	if (row)
		top = row.y - 60;
	wanted = { track: tracks[track], begin, end: begin + length };
	const margin = Math.max(length * 0.2, NARROWEST);
	show(begin - margin, begin + length + margin);
}

// ---- the pointer and keys ----------------------------------------------------------------

function wheel(event) {
	event.preventDefault();
	const pixels = event.deltaMode === 1 ? 20 : 1;
	if (event.ctrlKey || event.metaKey)
		zoom(Math.exp(Math.max(Math.min(event.deltaY * pixels, 200), -200) / 300), timeOf(Math.max(event.offsetX, labels)));
	else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
		move((event.deltaX || event.deltaY) * pixels / width());
	else
		scroll(event.deltaY * pixels);
}

let drag = null;
function down(event) {
	canvas.setPointerCapture(event.pointerId);
	drag = { x: event.offsetX, y: event.offsetY, from, to, top, isRange: event.shiftKey, isFar: false };
}

function pointer(event) {
	if (!drag)
		return;
	const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
	drag.isFar ||= Math.abs(dx) + Math.abs(dy) > 4;
	if (!drag.isFar)
		return;
	if (drag.isRange) {
		const times = [timeOf(Math.max(drag.x, labels)), timeOf(Math.max(event.offsetX, labels))].sort((a, b) => a - b);
		selected = times;
		onRange(times);
		moved();
		ask();
		return;
	}
	top = drag.top - dy;
	const shift = dx / width() * (drag.to - drag.from);
	show(drag.from - shift, drag.to - shift);
}

function up(event) {
	if (drag && !drag.isFar) {
		if (selected && event.offsetX >= labels) {
			selected = null;
			onRange(null);
		}
		click(event.offsetX, event.offsetY);
	}
	drag = null;
}

export const KEYS = {
	w: () => zoom(0.7), '+': () => zoom(0.7), '=': () => zoom(0.7),
	s: () => zoom(1 / 0.7), '-': () => zoom(1 / 0.7),
	a: () => move(-0.15), ArrowLeft: () => move(-0.15),
	d: () => move(0.15), ArrowRight: () => move(0.15),
	ArrowUp: () => scroll(-40), ArrowDown: () => scroll(40),
	PageUp: () => scroll(-canvas.clientHeight * 0.8), PageDown: () => scroll(canvas.clientHeight * 0.8),
	0: showAll, Home: showAll,
	Enter: () => neighbour(1), Backspace: () => neighbour(-1),
	z: () => slice && showSlice(slice.track.number, slice.begin, slice.end - slice.begin),
};

export function select(times) {
	selected = times;
	onRange(times);
	ask();
}

export function repaint() {
	theme = { ground: style('--ground'), panel: style('--panel'), line: style('--line'), text: style('--text'),
		faint: style('--faint'), accent: style('--accent'), lost: style('--lost'), sliceText: style('--slice-text') };
	ask();
}

export function timeline(rates, lanes, rangeChanged) {
	all = groups(rates, lanes);
	placed = layout(all);
	onRange = rangeChanged;
	canvas.addEventListener('wheel', wheel, { passive: false });
	canvas.addEventListener('pointerdown', down);
	canvas.addEventListener('pointermove', pointer);
	canvas.addEventListener('pointerup', up);
	canvas.addEventListener('pointercancel', () => { drag = null; });
	canvas.addEventListener('dblclick', () => KEYS.z());
	new ResizeObserver(ask).observe(canvas);
	for (const [id, act] of [['zoom-in', KEYS.w], ['zoom-out', KEYS.s], ['zoom-all', showAll]])
		document.getElementById(id).addEventListener('click', act);
	repaint();
}
