// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// main.js - reads what the page begins with, and puts the views together.
//
//	data.js      what stands in the page       events.js   its blocks, read when needed
//	format.js    numbers and times as text     query.js    which events
//	overview.js durations.js memory.js flame.js timeline.js table.js   the views
//	chart.js lists.js meter.js                 what several of them use
//
// Nothing of a trace is ever taken for markup: text goes into text nodes and canvases alone.
import { index, loadRows } from './data.js';
import { duration, safe } from './format.js';
import { redrawCharts } from './chart.js';
import { durations } from './durations.js';
import { flame, repaintFlame } from './flame.js';
import { memory } from './memory.js';
import { overview } from './overview.js';
import { find, setRange, showTable, table } from './table.js';
import * as timeline from './timeline.js';

const tabs = [...document.querySelectorAll('[role="tab"]')];
const root = document.documentElement;

function open(name, focus) {
	for (const tab of tabs) {
		const isIt = tab.id === `tab-${name}`;
		tab.setAttribute('aria-selected', String(isIt));
		tab.tabIndex = isIt ? 0 : -1;
		document.getElementById(tab.getAttribute('aria-controls')).hidden = !isIt;
		if (isIt && focus)
			tab.focus();
	}
	redrawCharts();
	if (name === 'events')
		showTable();
	if (name === 'timeline')
		timeline.repaint();
	repaintFlame();
}

const current = () => tabs.find((tab) => tab.getAttribute('aria-selected') === 'true').id.slice(4);

const go = {
	query(text) {
		find(text, false);
		open('events');
	},
	time(from, to) {
		open('timeline');
		timeline.select([from, to]);
		timeline.show(from - (to - from) * 0.1, to + (to - from) * 0.1);
	},
	slice(track, begin, length) {
		open('timeline');
		timeline.showSlice(track, begin, length);
	},
	eventsOfTime() {
		timeline.select(timeline.rangeShown());
		find('', true);
		open('events');
	},
};

function turnTheme() {
	const isDark = root.dataset.theme === 'dark' ||
		(root.dataset.theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
	root.dataset.theme = isDark ? 'light' : 'dark';
	repaint();
}

function repaint() {
	redrawCharts();
	timeline.repaint();
	repaintFlame();
}

function nextTab(step) {
	const shown = tabs.filter((tab) => !tab.hidden);
	const at = shown.findIndex((tab) => tab.id === `tab-${current()}`);
	open(shown[(at + step + shown.length) % shown.length].id.slice(4), true);
}

const about = document.getElementById('about');

const KEYS = {
	'/': () => {
		const isFlame = current() === 'flame';
		if (!isFlame)
			open('events');
		document.getElementById(isFlame ? 'frame-query' : 'query').focus();
	},
	t: turnTheme,
	'?': () => about.showModal(),
	e: go.eventsOfTime,
};

function key(event) {
	const { target } = event;
	if (event.ctrlKey || event.metaKey || event.altKey || about.open)
		return;
	if (target.matches('input')) {
		if (event.key === 'Escape')
			target.blur();
		return;
	}
	if (target.matches('[role="tab"]') && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
		nextTab(event.key === 'ArrowLeft' ? -1 : 1);
		event.preventDefault();
		return;
	}
	const tab = tabs[Number(event.key) - 1];
	const isTimeline = current() === 'timeline' && !(event.key === 'Enter' && target.matches('button'));
	const act = (isTimeline && timeline.KEYS[event.key]) || KEYS[event.key] ||
		(tab && !tab.hidden && (() => open(tab.id.slice(4), true)));
	if (act) {
		act();
		event.preventDefault();
	}
}

async function start() {
	document.getElementById('path').textContent = safe(index.path);
	document.title = `${safe(index.path)} - lttngmap report`;
	const [rates, lanes, levels] = await Promise.all(['rates0', 'lanes0', 'levels0'].map(loadRows));
	overview(rates.rows, go);
	timeline.timeline(rates.rows, lanes.rows, setRange);
	durations(go);
	memory(levels.rows, go);
	table();
	await flame();
	for (const tab of tabs)
		tab.addEventListener('click', () => open(tab.id.slice(4)));
	document.getElementById('theme').addEventListener('click', turnTheme);
	document.getElementById('help').addEventListener('click', () => about.showModal());
	document.getElementById('to-events').addEventListener('click', go.eventsOfTime);
	document.addEventListener('keydown', key);
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
	addEventListener('resize', redrawCharts);
}

function notes() {
	const found = [`${safe(index.by)}, read in ${duration(Math.round(performance.now() * 1e6))}`];
	if (index.kept < index.events)
		found.push('the table and the search have not all events');
	if (index.pairs && !index.threads)
		found.push('no slices: the trace does not tell the thread of an event (record with --context vtid)');
	if (index.unpaired > 0)
		found.push(`${index.unpaired} ends without a begin`);
	return found.join('; ');
}

const state = document.getElementById('state');
start().then(() => requestAnimationFrame(() => {
	state.textContent = notes();
	state.dataset.ready = String(performance.now());
}), (error) => {
	state.textContent = `The page could not be read: ${error.message}`;
	state.dataset.failed = error.stack;
});
