// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// memory.js - what the allocation functions' events say: bytes held, and what was never freed.
import { index, classes, processes, texts } from './data.js';
import { bytes, integer, processName, safe, seconds, since } from './format.js';
import { chart, colour } from './chart.js';
import { list } from './lists.js';

const SERIES = 8;

const nameOf = (id) => processName(processes.get(id));

// One x for all, as uPlot wants it; where a process says nothing its level stays.
function draw(rows, levels) {
	const shown = rows.filter((row) => levels[row.owner])
		.sort((a, b) => levels[b.owner][3] - levels[a.owner][3]).slice(0, SERIES);
	const coarse = shown.map((row) => row.at((index.last - index.first) / 2000));
	const times = [...new Set(coarse.flatMap((row) => [...row.begin]))].sort((a, b) => a - b);
	const data = coarse.map((row) => {
		let at = -1;
		return times.map((time) => {
			while (at + 1 < row.length && row.begin[at + 1] <= time)
				at++;
			return at < 0 ? null : row.busy[at];
		});
	});
	chart(document.getElementById('levels'), {
		data: [times, ...data],
		series: shown.map((row, i) => ({ label: nameOf(levels[row.owner][0]), colour: colour(i) })),
		x: seconds,
		y: bytes,
		yStep: Array.from({ length: 50 }, (_, i) => 2 ** i),
	});
}

export function memory(rows, go) {
	const { memory: found } = index;
	document.getElementById('tab-memory').hidden = !found;
	if (!found)
		return;
	const notes = [`${integer(found.calls)} calls`];
	if (found.unknown > 0)
		notes.push(`${integer(found.unknown)} blocks freed whose allocation is not in the trace`);
	if (found.unfollowed > 0)
		notes.push(`${integer(found.unfollowed)} blocks not followed: there are too many`);
	if (index.lost.length > 0)
		notes.push('events were lost: what looks held may have been freed');
	document.getElementById('memory-note').textContent = notes.join('; ') + '.';
	const where = found.held.some((row) => row[2] > 0) ? [{ title: 'At', of: (row) => texts[row[2]] ?? '', show: safe }] : [];
	list(document.getElementById('held'), [
		{ title: 'Bytes', of: ([, , , size, blocks]) => size * blocks, show: integer, number: true },
		{ title: 'Blocks', of: (row) => row[4], show: integer, number: true },
		{ title: 'Each', of: (row) => row[3], show: integer, number: true },
		{ title: 'By', of: (row) => classes[row[1]].name, show: safe },
		...where,
		{ title: 'Process', of: (row) => row[0], show: nameOf },
		{ title: 'First', of: (row) => row[5], show: since, number: true, go: (row) => go.time(row[5] - 1000, row[5] + 1000) },
	], found.held, 0);
	list(document.getElementById('holders'), [
		{ title: 'Process', of: (row) => row[0], show: nameOf, go: (row) => go.query(`process:${processes.get(row[0]).pid}`) },
		{ title: 'Held at the end', of: (row) => row[1], show: integer, number: true },
		{ title: 'Blocks', of: (row) => row[2], show: integer, number: true },
		{ title: 'Most', of: (row) => row[3], show: integer, number: true },
	], found.levels, 1);
	draw(rows, found.levels);
}
