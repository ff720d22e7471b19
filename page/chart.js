// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// chart.js - charts, drawn by uPlot in the colours of the page.
import uPlot from 'uplot';

const charts = new Set();

// Colours that can be told apart on light and dark ground alike.
const HUES = [211, 28, 140, 350, 265, 48, 180, 320, 95, 0];
export const colour = (i) => `hsl(${HUES[i % HUES.length]} ${i < 10 ? 70 : 40}% ${i % 2 ? 48 : 54}%)`;
const cached = new Map();
// Of a name: the same in all views.
export function colourOf(name) {
	let found = cached.get(name);
	if (!found) {
		let hash = 0;
		for (let i = 0; i < name.length; i++)
			hash = Math.imul(hash, 31) + name.charCodeAt(i) | 0;
		hash = Math.imul(hash ^ hash >>> 15, 0x2c1b3c6d);
		found = `hsl(${(hash >>> 8) % 360} ${50 + (hash >>> 3) % 20}% ${70 + (hash >>> 20) % 8}%)`;
		cached.set(name, found);
	}
	return found;
}

export const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function axes(xValues, yValues, yStep) {
	const line = style('--line');
	const common = { stroke: style('--faint'), grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
	return [
		{ ...common, values: (_, ticks) => ticks.map(xValues), space: 90 },
		{ ...common, values: (_, ticks) => ticks.map(yValues), size: 78, ...(yStep ? { incrs: yStep } : {}) },
	];
}

// series: [{ label, colour }], data: [x, y, y, ...]. Drawn anew when size or theme change.
// A colour may be a function, where it is one of the theme's.
export function chart(element, { data, series, x, y, xLabel, yStep, bars, scaleX, draw, select }) {
	const hue = (one) => (typeof one.colour === 'function' ? one.colour() : one.colour);
	const entry = { element, plot: null, make };
	charts.add(entry);
	function make() {
		entry.plot?.destroy();
		element.replaceChildren();
		if (element.clientWidth === 0)
			return;
		entry.plot = new uPlot({
			width: element.clientWidth,
			height: Math.max(200, Math.min(300, Math.round(innerHeight * 0.3))),
			legend: { live: true },
			cursor: { drag: { x: Boolean(select), y: false, setScale: false } },
			scales: { x: { time: false, ...scaleX }, y: { range: [0, null] } },
			axes: axes(x, y, yStep),
			series: [{ label: xLabel ?? 'time', value: (_, v) => (v === null ? '' : x(v)) }, ...series.map((one) => ({
				label: one.label,
				stroke: hue(one),
				fill: bars ? hue(one) : undefined,
				width: 1.5,
				paths: bars ? uPlot.paths.bars({ size: [0.9] }) : uPlot.paths.stepped({ align: 1 }),
				points: { show: false },
				value: (_, v) => (v === null || v === undefined ? '' : y(v)),
			}))],
			hooks: {
				draw: draw ? [draw] : [],
				setSelect: select ? [(plot) => {
					if (plot.select.width > 3)
						select(plot.posToVal(plot.select.left, 'x'),
							plot.posToVal(plot.select.left + plot.select.width, 'x'));
				}] : [],
			},
		}, data, element);
	}
	make();
	return entry;
}

export function remove(entry) {
	entry?.plot?.destroy();
	charts.delete(entry);
}

export function redrawCharts() {
	for (const entry of charts)
		entry.make();
}

// Counts of rows' extents in `bins` equal bins of time.
export function histogram(row, from, to, bins, into = new Float64Array(bins)) {
	const scale = bins / (to - from || 1);
	for (let i = row.from(from); i < row.length; i++) {
		const bin = Math.floor((row.begin[i] - from) * scale);
		if (bin > bins)
			break;
		into[Math.min(bin, bins - 1)] += row.count[i];
	}
	return into;
}
