// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
//
// lists.js - tables of a few hundred rows, which a click on a head sorts.

export function element(name, text, attributes = {}) {
	const made = document.createElement(name);
	if (text !== undefined)
		made.textContent = text;
	for (const [key, value] of Object.entries(attributes))
		made.setAttribute(key, value);
	return made;
}

const ROWS_MOST = 500;

// columns: [{ title, of: (row) => value, show: (value, row) => text, number, go: (row) => {} }]
export function list(table, columns, rows, sortBy, pick) {
	const state = { column: sortBy, down: true };
	const body = element('tbody');
	const heads = columns.map((column, i) => {
		const head = element('th', undefined, { scope: 'col' });
		const button = element('button', column.title);
		if (column.number)
			head.className = 'number';
		button.addEventListener('click', () => {
			state.down = state.column === i ? !state.down : Boolean(column.number);
			state.column = i;
			fill();
		});
		head.append(button);
		return head;
	});
	function cell(column, row) {
		const made = element('td');
		const text = column.show ? column.show(column.of(row), row) : String(column.of(row));
		if (column.number)
			made.className = 'number';
		if (column.go) {
			const button = element('button', text);
			button.addEventListener('click', () => column.go(row));
			made.append(button);
		} else {
			made.textContent = text;
		}
		return made;
	}
	function fill() {
		const { of } = columns[state.column];
		const order = [...rows].sort((a, b) => {
			const [x, y] = [of(a), of(b)];
			return (x < y ? -1 : x > y ? 1 : 0) * (state.down ? -1 : 1);
		});
		heads.forEach((head, i) => head.setAttribute('aria-sort',
			i !== state.column ? 'none' : state.down ? 'descending' : 'ascending'));
		body.replaceChildren(...order.slice(0, ROWS_MOST).map((row) => {
			const line = element('tr');
			line.append(...columns.map((column) => cell(column, row)));
			if (pick) {
				line.addEventListener('click', () => {
					for (const other of body.children)
						other.setAttribute('aria-selected', String(other === line));
					pick(row);
				});
			}
			return line;
		}));
		if (rows.length > ROWS_MOST) {
			const more = element('td', `and ${rows.length - ROWS_MOST} more`);
			const line = element('tr');
			line.append(more);
			body.append(line);
		}
	}
	const head = element('thead'), line = element('tr');
	line.append(...heads);
	head.append(line);
	table.replaceChildren(head, body);
	fill();
}
