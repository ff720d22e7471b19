#!/usr/bin/env node
// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// report-look.mjs BROWSER PAGE STEP... - looks at a page of `lttngmap report` as a person would,
// and prints what is seen. Each step is a word, its arguments after colons:
//
//	ready             milliseconds from the begin of its loading to its being there
//	card:NAME         a number of the overview
//	classes           NAME COUNT of each event class
//	find|QUERY        how many events the search finds
//	click|PART        how many the search finds after a click on the event of such a name
//	rows|N            the first N rows of the table: thread, event, fields
//	last              the last row, by the key End
//	slices|N          NAME BEGIN END of N slices, as the key Enter goes from one to the next
//	longest           NAME BEGIN END of what "the longest" of the first name leads to
//	held              BYTES BLOCKS of each process, held at the end
//	callers           one of the functions that asked for that, of bash's own
//	zoom|FACTOR       zooms into the timeline until so much less of it is seen
//	time              FROM TO COUNT of what the timeline shows, as the key e leads to its events
//	frames            wheel and pointer move the timeline: frames a second, slowest
//	rolls             the same of the table
//	shot|FILE|WIDTH|HEIGHT|THEME|VIEW
//	complaints        what the browser complained of, and asked the network for
import { writeFileSync } from 'node:fs';
import { Browser } from './browser.mjs';

const [, , program, page, ...steps] = process.argv;
const browser = new Browser(program);
const say = (text) => process.stdout.write(`${text}\n`);
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const text = (selector) => browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const data = (selector, name) =>
	browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).dataset.${name} ?? ''`);
const view = (name) => browser.evaluate(`document.getElementById('tab-${name}').click()`);
const settled = () => browser.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

async function search(query) {
	await view('events');
	await browser.evaluate(`{ const q = document.getElementById('query'); q.value = ${JSON.stringify(query)};
		q.dispatchEvent(new Event('input')); }`);
	await browser.until("document.getElementById('found').dataset.done === 'true'", 300000);
	return data('#found', 'count');
}

const rowText = (row) => browser.evaluate(`[...[...document.querySelectorAll('#rows > div')].at(${row})
	?.querySelectorAll('.thread, .event, .fields') ?? []].map((cell) => cell.textContent).join(' ')`);

async function rows(count) {
	await view('events');
	// What was found last may not be drawn yet.
	await settled();
	await browser.until("![...document.querySelectorAll('#rows .time')].some((cell) => cell.textContent === '…')");
	await settled();
	for (let i = 0; i < count; i++)
		say(await rowText(i));
}

async function taken() {
	await browser.until("document.getElementById('slice').dataset.begin");
	return `${await data('#slice', 'name')} ${await data('#slice', 'begin')} ${await data('#slice', 'end')}`;
}

async function slices(count) {
	await view('timeline');
	await browser.until("document.getElementById('lanes-canvas').dataset.exact === 'true'");
	await browser.evaluate("document.getElementById('lanes-canvas').focus()");
	for (let i = 0; i < count; i++) {
		await browser.key('Enter');
		await settled();
		say(await taken());
	}
}

async function box(selector) {
	return JSON.parse(await browser.evaluate(`JSON.stringify(document.querySelector('${selector}').getBoundingClientRect())`));
}

async function measured() {
	await wait(700);
	await browser.until("document.getElementById('meter').dataset.frames !== undefined");
	return `${Math.floor(await data('#meter', 'frames'))} ${Math.ceil(await data('#meter', 'slowest'))}`;
}

const forget = () => browser.evaluate("delete document.getElementById('meter').dataset.frames");

async function frames() {
	await view('timeline');
	await settled();
	await forget();
	const { left, top, width, height } = await box('#lanes-canvas');
	const x = left + width * 0.6, y = top + height / 2;
	for (let i = 0; i < 40; i++)
		await browser.mouse('mouseWheel', x, y, { deltaX: 0, deltaY: i < 20 ? -40 : 40, modifiers: 2 });
	await browser.mouse('mousePressed', x, y, { button: 'left', buttons: 1, clickCount: 1 });
	for (let i = 0; i < 40; i++)
		await browser.mouse('mouseMoved', x - Math.sin(i / 4) * 200, y + i % 9, { button: 'left', buttons: 1 });
	await browser.mouse('mouseReleased', x, y, { button: 'left', clickCount: 1 });
	for (let i = 0; i < 20; i++)
		await browser.mouse('mouseWheel', x, y, { deltaX: 0, deltaY: i < 10 ? 30 : -30 });
	say(await measured());
}

async function rolls() {
	await search('');
	await forget();
	const { left, top } = await box('#body');
	for (let i = 0; i < 60; i++)
		await browser.mouse('mouseWheel', left + 200, top + 100, { deltaX: 0, deltaY: i < 40 ? 700 : -300 });
	say(await measured());
}

async function zoom(factor) {
	await view('timeline');
	await settled();
	const length = async () => await data('#lanes-canvas', 'to') - await data('#lanes-canvas', 'from');
	const whole = await length();
	for (let i = 0; i < 100 && await length() > whole / factor; i++) {
		await browser.key('w');
		await settled();
	}
}

async function shot(file, width, height, theme, name) {
	await browser.size(Number(width), Number(height), theme);
	await view(name);
	await wait(400);
	await settled();
	writeFileSync(file, await browser.screenshot());
}

const STEPS = {
	ready: async () => say(Math.ceil(await data('#state', 'ready'))),
	card: async (name) => say((await text(`#card-${name}`)).replace(/,/g, '')),
	classes: async () => say(await browser.evaluate(`[...document.querySelectorAll('#classes tbody tr')].map((row) =>
		row.cells[0].textContent + ' ' + row.cells[1].textContent.replace(/,/g, '')).sort().join('\\n')`)),
	find: async (query) => say(await search(query)),
	click: async (part) => {
		await view('overview');
		await browser.evaluate(`[...document.querySelectorAll('#classes button')].find((button) =>
			button.textContent.includes(${JSON.stringify(part)})).click()`);
		await browser.until("document.getElementById('found').dataset.done === 'true'", 300000);
		say(await data('#found', 'count'));
	},
	rows,
	slices,
	zoom,
	frames,
	rolls,
	shot,
	last: async () => {
		await view('events');
		await browser.evaluate("document.getElementById('table').focus()");
		await browser.key('End');
		await settled();
		await rows(0);
		const row = await box('#rows > div.here'), body = await box('#body');
		if (row.top < body.top || row.bottom > body.bottom + 22)
			say('it is not seen');
		say(await browser.evaluate("document.querySelector('#rows > div.here > .n').textContent.replace(/,/g, '')"));
	},
	longest: async () => {
		await view('durations');
		// The page takes it when it next draws: until then the one before is there.
		await browser.evaluate("document.getElementById('slice').dataset.begin = ''");
		await browser.evaluate("document.querySelector('#histogram-bar button').click()");
		say(await taken());
	},
	time: async () => {
		await view('timeline');
		await settled();
		const [from, to] = [await data('#lanes-canvas', 'from'), await data('#lanes-canvas', 'to')];
		await browser.key('e');
		await browser.until("document.getElementById('found').dataset.done === 'true'", 300000);
		say(`${from} ${to} ${await data('#found', 'count')}`);
		await browser.evaluate("document.getElementById('in-range').checked = false");
	},
	callers: async () => say(await browser.evaluate(`[...document.querySelectorAll('#held tbody tr')].map((row) =>
		row.cells[4]?.textContent).filter((text) => /^x(m|re)alloc/.test(text))[0]`)),
	held: async () => say(await browser.evaluate(`[...document.querySelectorAll('#holders tbody tr')].map((row) =>
		[1, 2].map((cell) => row.cells[cell].textContent.replace(/,/g, '')).join(' ')).join('\\n')`)),
	complaints: () => {
		browser.complaints.forEach(say);
		browser.requests.filter((url) => !url.startsWith('file:')).forEach(say);
		if (browser.requests.length !== 1)
			say(`${browser.requests.length} requests: ${browser.requests.slice(1)}`);
	},
};

try {
	await browser.start();
	await browser.size(1280, 800, 'light');
	await browser.open(page);
	await browser.until("document.getElementById('state')?.dataset.ready || document.getElementById('state')?.dataset.failed", 120000);
	const failed = await data('#state', 'failed');
	if (failed)
		throw new Error(failed);
	for (const step of steps) {
		const [name, ...rest] = step.split('|');
		await STEPS[name.split(':')[0]](...name.split(':').slice(1), ...rest);
	}
} catch (error) {
	say(`failed: ${error.stack}`);
	browser.complaints?.forEach(say);
	process.exitCode = 1;
}
await browser.close();
