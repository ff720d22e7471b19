// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// overview.js - the first view: what there is in all, and when.
import { index, classes, processes, tracks, CLASS } from './data.js';
import { bytes, clock, duration, integer, processName, safe, seconds } from './format.js';
import { chart, colour, histogram, style } from './chart.js';
import { element, list } from './lists.js';

const BINS = 600;
const SERIES = 7;

function cards() {
	const counted = integer(index.lostEvents);
	const lost = index.lostUnknown ? (index.lostEvents ? `${counted} or more` : 'some') : counted;
	const shown = [
		['events', 'Events', integer(index.events)],
		['slices', 'Slices', integer(index.slices)],
		['lost', 'Events lost', lost, index.lost.length > 0],
		['length', 'Duration', duration(index.last - index.first)],
		['begin', `Began ${new Date(Number(BigInt(index.begin) / 1000000n)).toLocaleDateString()}`, clock(0)],
		['threads', 'Threads', integer(tracks.filter((track) => track.tid >= 0).length)],
		['process-count', 'Processes', integer(processes.size)],
	];
	if (index.losses)
		shown.push(['losses', 'Lost, as the session counted', index.losses, true]);
	if (index.memory)
		shown.push(['held-bytes', 'Bytes held at the end',
			bytes(index.memory.levels.reduce((sum, [, held]) => sum + held, 0))]);
	document.getElementById('cards').replaceChildren(...shown.map(([id, label, text, isBad]) => {
		const card = element('div');
		card.className = isBad ? 'bad' : '';
		card.append(element('b', text, { id: `card-${id}` }), element('span', label));
		return card;
	}));
}

// Classes of several traces may have one name.
function byName() {
	const names = new Map();
	for (const { name, events, number } of classes) {
		const entry = names.get(name) ?? { name, events: 0, numbers: [] };
		entry.events += events;
		entry.numbers.push(number);
		names.set(name, entry);
	}
	return [...names.values()].sort((a, b) => b.events - a.events);
}

function drawLost(plot) {
	const { ctx } = plot;
	ctx.fillStyle = style('--lost');
	for (const [from] of index.lost)
		ctx.fillRect(plot.valToPos(from, 'x', true), plot.bbox.top, 2, plot.bbox.height);
}

function rates(names, rows, go) {
	const { first, last } = index;
	const length = Math.max(last - first, 1) / BINS / 1e9;
	const x = Array.from({ length: BINS }, (_, i) => first + (last - first) * i / BINS);
	const shown = names.slice(0, names.length > SERIES + 1 ? SERIES : names.length);
	const others = names.slice(shown.length);
	const sum = (group) => {
		const counts = new Float64Array(BINS);
		for (const row of rows) {
			if (row.kind === CLASS && group.some(({ numbers }) => numbers.includes(row.owner)))
				histogram(row, first, last, BINS, counts);
		}
		return counts.map((count) => count / length);
	};
	const series = shown.map((entry, i) => ({ label: safe(entry.name), colour: colour(i), data: sum([entry]) }));
	if (others.length > 0)
		series.push({ label: `${others.length} others`, colour: () => style('--faint'), data: sum(others) });
	chart(document.getElementById('rates'), {
		data: [x, ...series.map((one) => one.data)],
		series,
		x: seconds,
		y: (rate) => (rate >= 1e6 ? `${(rate / 1e6).toPrecision(3)} M` : rate >= 1e3 ? `${(rate / 1e3).toPrecision(3)} k` : rate.toPrecision(3)),
		draw: drawLost,
		select: go.time,
	});
}

export function overview(rows, go) {
	const names = byName();
	cards();
	list(document.getElementById('classes'), [
		{ title: 'Event', of: (row) => row.name, show: safe, go: (row) => go.query(`event:"${row.name.replace(/"/g, '*')}"`) },
		{ title: 'Count', of: (row) => row.events, show: integer, number: true },
		{ title: 'Share', of: (row) => row.events, number: true,
			show: (events) => `${(100 * events / Math.max(index.events, 1)).toFixed(1)} %` },
	], names, 1);
	list(document.getElementById('processes'), [
		{ title: 'Process', of: (row) => row.name, show: (_, row) => processName(row),
			go: (row) => go.query(row.pid >= 0 ? `process:${row.pid}` : `process:"${row.name}"`) },
		{ title: 'Threads', of: (row) => row.threads, number: true },
		{ title: 'Events', of: (row) => row.events, show: integer, number: true },
	], [...processes.values()], 2);
	rates(names, rows, go);
}
