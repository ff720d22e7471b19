// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// durations.js - how long slices took, by their names.
import { index, texts } from './data.js';
import { duration, integer, safe } from './format.js';
import { chart, remove, style } from './chart.js';
import { element, list } from './lists.js';

// The least that falls in a bucket: see cli/report/page-durations.c.
export function bucketBegin(bucket) {
	if (bucket < 8)
		return bucket;
	return (8 + bucket % 8) * 2 ** (Math.floor(bucket / 8) - 1);
}

function quantile(entry, share) {
	let left = entry.count * share;
	for (let i = 0; i < entry.buckets.length; i++) {
		left -= entry.buckets[i];
		if (left <= 0)
			return Math.min(Math.max((bucketBegin(i) + bucketBegin(i + 1)) / 2, entry.least), entry.most);
	}
	return entry.most;
}

const entries = index.durations.map(([category, name, count, sum, least, most, begin, track, buckets]) => {
	const provider = texts[category];
	const entry = { name: (provider ? `${provider}:` : '') + texts[name], count, sum, least, most, begin, track, buckets };
	entry.median = quantile(entry, 0.5);
	entry.high = quantile(entry, 0.99);
	return entry;
});

let shown = null;

function show(entry, go) {
	const first = entry.buckets.findIndex((count) => count > 0);
	const bar = document.getElementById('histogram-bar');
	document.getElementById('histogram-title').textContent = safe(entry.name);
	const x = [], counts = [];
	for (let i = Math.max(first - 1, 0); i <= entry.buckets.length; i++) {
		x.push(i);
		counts.push(entry.buckets[i] ?? 0);
	}
	remove(shown);
	shown = chart(document.getElementById('histogram'), {
		data: [x, counts],
		series: [{ label: 'slices', colour: () => style('--accent') }],
		xLabel: 'took',
		// A bucket is an eighth of a doubling.
		x: (bucket) => (Number.isInteger(bucket) ? duration(bucketBegin(bucket)) : ''),
		y: integer,
		bars: true,
		scaleX: { range: (_, least, most) => [least - 1, most + 1] },
	});
	const button = element('button', 'Show the longest in the timeline');
	button.addEventListener('click', () => go.slice(entry.track, entry.begin, entry.most));
	bar.replaceChildren(button);
}

export function durations(go) {
	const time = (title, of) => ({ title, of, show: duration, number: true });
	document.getElementById('tab-durations').hidden = entries.length === 0;
	if (entries.length === 0)
		return;
	list(document.getElementById('names'), [
		{ title: 'Slice', of: (row) => row.name, show: safe, go: (row) => show(row, go) },
		{ title: 'Count', of: (row) => row.count, show: integer, number: true },
		time('In all', (row) => row.sum),
		time('Least', (row) => row.least),
		time('Median', (row) => row.median),
		time('Mean', (row) => row.sum / row.count),
		time('99 %', (row) => row.high),
		time('Most', (row) => row.most),
	], entries, 2, (row) => show(row, go));
	show(entries[0], go);
}
