// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// timeline-rows.js - what stands below what in the timeline: CPUs, then each process with
// its threads, each with a strip of its events and the lanes of its slices.
import { index, tracks, CPU, LANE, TRACK } from './data.js';
import { processName, safe } from './format.js';

export const HEAD = 22, STRIP = 14, LANE_HEIGHT = 17, GAP = 5;
const LANES_MOST = 24;

function threadRow(track, strips, lanes) {
	const own = lanes.get(track.number) ?? [];
	const depth = Math.min(own.length ? Math.max(...own.map((row) => row.depth)) + 1 : 0, LANES_MOST);
	const label = track.tid >= 0 ? `${safe(track.name)} ${track.tid}` : safe(track.name);
	return {
		kind: 'thread', label, track, strip: strips.get(track.number), depth,
		lanes: Array.from({ length: depth }, (_, i) => own.find((row) => row.depth === i)),
		height: STRIP + depth * LANE_HEIGHT + GAP,
	};
}

// Processes in the order of their first event.
export function groups(rates, laneRows) {
	const strips = new Map(), lanes = new Map(), cpus = [];
	for (const row of rates) {
		if (row.kind === TRACK)
			strips.set(row.owner, row);
		else if (row.kind === CPU)
			cpus.push(row);
	}
	for (const row of laneRows) {
		if (row.kind === LANE)
			lanes.set(row.owner, [...(lanes.get(row.owner) ?? []), row]);
	}
	const found = [];
	if (cpus.length > 0) {
		cpus.sort((a, b) => a.owner - b.owner);
		found.push({ label: 'CPUs', isOpen: cpus.length <= 8, children: cpus.map((row) => (
			{ kind: 'cpu', label: `cpu ${row.owner}`, strip: row, depth: 0, lanes: [], height: STRIP + GAP })) });
	}
	const byProcess = new Map();
	for (const track of tracks) {
		const group = byProcess.get(track.process) ?? { label: processName(track.process), process: track.process, children: [] };
		group.children.push(threadRow(track, strips, lanes));
		byProcess.set(track.process, group);
	}
	for (const group of byProcess.values())
		group.children.sort((a, b) => a.track.tid - b.track.tid || a.track.cpu - b.track.cpu);
	const first = (group) => group.children.reduce((least, row) => Math.min(least, row.strip?.begin[0] ?? least), index.last);
	const processes = [...byProcess.values()].map((group) => ({ ...group, first: first(group) }));
	processes.sort((a, b) => a.first - b.first);
	processes.forEach((group, i) => { group.isOpen = i < 64; });
	return found.concat(processes);
}

// Rows with their places; groups that are closed show their head alone.
export function layout(all) {
	const rows = [];
	let y = 0;
	for (const group of all) {
		rows.push({ kind: 'group', group, label: group.label, y, height: HEAD });
		y += HEAD;
		if (!group.isOpen)
			continue;
		for (const row of group.children) {
			row.y = y;
			rows.push(row);
			y += row.height;
		}
	}
	return { rows, height: y };
}
