// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// meter.js - frames a second, while something moves: half a second after the last
// movement it stops, and says what it saw.
const PAUSE = 500;
let last = 0, until = 0, frames = [];

function tick(now) {
	if (last > 0)
		frames.push(now - last);
	last = now;
	if (now < until) {
		requestAnimationFrame(tick);
		return;
	}
	show();
	last = 0;
}

function show() {
	// What came after the last movement is no work.
	const output = document.getElementById('meter');
	const seconds = frames.reduce((all, one) => all + one, 0) / 1000;
	if (frames.length < 5)
		return;
	const slowest = [...frames].sort((a, b) => a - b)[Math.floor(frames.length * 0.95)];
	output.dataset.frames = String(frames.length / seconds);
	output.dataset.slowest = String(slowest);
	output.textContent = `${(frames.length / seconds).toFixed(0)} frames/s, 95 % within ${slowest.toFixed(0)} ms`;
}

export function moved() {
	until = performance.now() + PAUSE;
	if (last > 0)
		return;
	frames = [];
	last = -1;
	requestAnimationFrame((now) => {
		last = now;
		requestAnimationFrame(tick);
	});
}
