// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// browser.mjs - Chromium without a window, told what to do over a pair of pipes by its own
// protocol of messages: JSON, a NUL after each. It ends with whoever holds the pipes.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const OPTIONS = [
	'--headless=new', '--remote-debugging-pipe', '--disable-gpu', '--no-first-run', '--hide-scrollbars',
	'--disable-extensions', '--disable-background-networking', '--disable-component-update',
	'--disable-sync', '--no-default-browser-check', '--disable-dev-shm-usage', '--mute-audio',
	'--disable-crash-reporter', '--disable-breakpad',
];

export class Browser {
	#next = 1;
	#waiting = new Map();
	#listeners = [];
	#session;

	constructor(program) {
		this.profile = mkdtempSync(join(process.env.TAP_DIR ?? tmpdir(), 'browser.'));
		// Its sandbox is not for root; the page is our own.
		const sandbox = process.getuid() === 0 ? ['--no-sandbox'] : [];
		this.child = spawn(program, [...OPTIONS, ...sandbox, `--user-data-dir=${this.profile}`, 'about:blank'],
			{ stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
		this.ended = new Promise((done) => this.child.once('exit', done));
		this.child.once('exit', () => this.#fail(new Error('the browser has ended')));
		this.child.once('error', (error) => this.#fail(error));
		const parts = [];
		this.child.stdio[4].on('data', (chunk) => {
			let begin = 0;
			for (let end; (end = chunk.indexOf(0, begin)) >= 0; begin = end + 1) {
				parts.push(chunk.subarray(begin, end));
				this.#take(JSON.parse(Buffer.concat(parts).toString('utf8')));
				parts.length = 0;
			}
			parts.push(chunk.subarray(begin));
		});
		this.child.stdio[3].on('error', () => {});
	}

	#fail(error) {
		for (const { reject } of this.#waiting.values())
			reject(error);
		this.#waiting.clear();
	}

	#take(message) {
		const waiting = this.#waiting.get(message.id);
		this.#waiting.delete(message.id);
		if (!waiting)
			this.#listeners.forEach((listener) => listener(message));
		else if (message.error)
			waiting.reject(new Error(message.error.message));
		else
			waiting.resolve(message.result);
	}

	send(method, params = {}) {
		const id = this.#next++;
		this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.#session }) + '\0');
		return new Promise((resolve_, reject) => this.#waiting.set(id, { resolve: resolve_, reject }));
	}

	// What it asks for and complains of is in `requests` and `complaints` from now on.
	async start() {
		const { targetInfos } = await this.send('Target.getTargets');
		const { targetId } = targetInfos.find(({ type }) => type === 'page');
		this.#session = (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
		this.requests = [];
		this.complaints = [];
		this.#listeners.push(({ method, params }) => {
			if (method === 'Network.requestWillBeSent')
				this.requests.push(params.request.url);
			else if (method === 'Runtime.exceptionThrown')
				this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
			else if (method === 'Log.entryAdded')
				this.complaints.push(params.entry.text);
		});
		for (const domain of ['Page', 'Runtime', 'Network', 'Log'])
			await this.send(`${domain}.enable`);
	}

	async size(width, height, theme) {
		await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
		await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] });
	}

	open(file) {
		return this.send('Page.navigate', { url: pathToFileURL(resolve(file)).href });
	}

	// The value of an expression in the page, once its promise holds.
	async evaluate(expression) {
		const { result, exceptionDetails } = await this.send('Runtime.evaluate',
			{ expression, awaitPromise: true, returnByValue: true });
		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
		return result.value;
	}

	// Until the expression is true; a message after that many milliseconds.
	async until(expression, most = 60000) {
		const end = Date.now() + most;
		while (!await this.evaluate(expression)) {
			if (Date.now() > end)
				throw new Error(`never true: ${expression}`);
			await new Promise((done) => setTimeout(done, 20));
		}
	}

	async key(key) {
		const text = key.length === 1 ? { text: key } : key === 'Enter' ? { text: '\r' } : {};
		const code = { Enter: 13, Backspace: 8, Home: 36, End: 35, ArrowDown: 40, ArrowUp: 38, PageDown: 34 }[key];
		await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, windowsVirtualKeyCode: code, ...text });
		await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode: code });
	}

	mouse(type, x, y, more = {}) {
		return this.send('Input.dispatchMouseEvent', { type, x, y, ...more });
	}

	async screenshot() {
		const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
		return Buffer.from(data, 'base64');
	}

	async close() {
		this.send('Browser.close').catch(() => {});
		const timer = setTimeout(() => this.child.kill('SIGKILL'), 5000);
		await this.ended;
		clearTimeout(timer);
		rmSync(this.profile, { recursive: true, force: true, maxRetries: 10 });
	}
}
