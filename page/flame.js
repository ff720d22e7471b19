// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// flame.js - call stacks: as wide as the time in them, the outermost on top.
import { index, load, Reader, texts } from './data.js';
import { duration, integer, safe } from './format.js';
import { colourOf, style } from './chart.js';
import { moved } from './meter.js';

const LINE = 20;
const canvas = document.getElementById('flame-canvas');
const output = document.getElementById('frame');
const query = document.getElementById('frame-query');

const root = { name: 'all', total: 0, count: 0, depth: -1, children: [], parent: null };
let shown = root; // what is as wide as the canvas
let here = null;
let boxes = [];
let isAsked = false;

function read(reader) {
	const path = [root];
	for (let left = reader.number(); left > 0; left--) {
		const depth = reader.number();
		const parent = path[depth];
		const frame = { name: texts[reader.number()], total: reader.number(), count: reader.number(), depth, children: [], parent };
		parent.children.push(frame);
		path[depth + 1] = frame;
		path.length = depth + 2;
	}
}

// A program's frame has no slice of its own: it is as long as what it called.
function settle(frame) {
	const stack = [frame], order = [];
	while (stack.length > 0) {
		const one = stack.pop();
		order.push(one);
		for (const child of one.children)
			stack.push(child);
	}
	for (const one of order.reverse()) {
		one.within = one.children.reduce((sum, child) => sum + child.total, 0);
		one.total = Math.max(one.total, one.within);
		one.children.sort((a, b) => b.total - a.total);
	}
}

// No canvas is higher than some ten thousand points.
const LINES_MOST = 780;

function place(frame, x, wide, depth, found) {
	if (wide < 0.6 || depth > LINES_MOST)
		return;
	found.push({ frame, x, wide, y: depth * LINE });
	for (const child of frame.children) {
		const own = frame.total > 0 ? wide * child.total / frame.total : 0;
		place(child, x, own, depth + 1, found);
		x += own;
	}
}

function ask() {
	if (isAsked)
		return;
	isAsked = true;
	requestAnimationFrame(draw);
}

function draw() {
	isAsked = false;
	const wide = canvas.parentElement.clientWidth;
	if (wide === 0)
		return;
	boxes = [];
	const above = [];
	for (let frame = shown.parent; frame; frame = frame.parent)
		above.unshift(frame);
	above.splice(0, above.length - LINES_MOST / 2);
	above.forEach((frame, depth) => boxes.push({ frame, x: 0, wide, y: depth * LINE, isFaint: true }));
	place(shown, 0, wide, above.length, boxes);
	const height = Math.min(boxes.reduce((most, box) => Math.max(most, box.y), 0) + LINE, 16000);
	const ratio = devicePixelRatio || 1;
	canvas.style.height = `${height}px`;
	canvas.width = Math.round(wide * ratio);
	canvas.height = Math.round(height * ratio);
	const context = canvas.getContext('2d', { alpha: false });
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.fillStyle = style('--ground');
	context.fillRect(0, 0, wide, height);
	context.font = '11.5px ui-monospace, "DejaVu Sans Mono", monospace';
	const text = style('--slice-text'), mark = style('--accent'), strong = style('--text');
	const wanted = query.value.toLowerCase();
	for (const box of boxes) {
		const isFound = wanted && box.frame.name.toLowerCase().includes(wanted);
		context.globalAlpha = box.isFaint || (wanted && !isFound) ? 0.45 : 1;
		context.fillStyle = isFound ? mark : colourOf(box.frame.name);
		context.fillRect(box.x, box.y, Math.max(box.wide - 0.5, 0.5), LINE - 1);
		context.globalAlpha = 1;
		const letters = Math.floor((box.wide - 6) / 6.9);
		if (letters >= 2) {
			const name = safe(box.frame.name);
			context.fillStyle = text;
			context.fillText(name.length > letters ? `${name.slice(0, letters - 1)}…` : name, box.x + 3, box.y + 14);
		}
		if (box.frame === here) {
			context.strokeStyle = strong;
			context.lineWidth = 2;
			context.strokeRect(box.x + 1, box.y + 1, Math.max(box.wide - 2, 1), LINE - 3);
		}
	}
}

function tell(frame) {
	here = frame;
	output.textContent = frame ? `${safe(frame.name)}: ${duration(frame.total)}, ${duration(frame.total - frame.within)} of it itself` +
		`${frame.count ? `, ${integer(frame.count)} times` : ''}` +
		`, ${(100 * frame.total / (root.total || 1)).toFixed(1)} % of all` : '';
	moved();
	ask();
}

function zoom(frame) {
	shown = frame;
	tell(frame);
}

const at = (event) => boxes.find((box) => event.offsetX >= box.x && event.offsetX < box.x + box.wide &&
	event.offsetY >= box.y && event.offsetY < box.y + LINE)?.frame;

function beside(step) {
	const list = here?.parent?.children ?? [];
	return list[list.indexOf(here) + step] ?? here;
}

const KEYS = {
	ArrowDown: () => tell(here?.children[0] ?? here ?? shown),
	ArrowUp: () => tell(here?.parent ?? here),
	ArrowLeft: () => tell(beside(-1)),
	ArrowRight: () => tell(beside(1)),
	Enter: () => here && zoom(here),
	Escape: () => zoom(root),
};

export const repaintFlame = ask;

export async function flame() {
	read(new Reader(await load('flame0')));
	settle(root);
	document.getElementById('tab-flame').hidden = root.children.length === 0;
	canvas.addEventListener('mousemove', (event) => {
		const frame = at(event);
		if (frame && frame !== here)
			tell(frame);
	});
	canvas.addEventListener('click', (event) => {
		const frame = at(event);
		if (frame)
			zoom(frame);
	});
	canvas.addEventListener('keydown', (event) => {
		if (KEYS[event.key]) {
			KEYS[event.key]();
			event.preventDefault();
		}
	});
	query.addEventListener('input', ask);
	document.getElementById('flame-all').addEventListener('click', () => zoom(root));
	new ResizeObserver(ask).observe(canvas.parentElement);
	if (index.flameFull)
		output.textContent = 'There are more stacks than are shown.';
}
