// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
package org.lttng.ust.agent;

/** A handler or appender of LTTng's agent. */
public interface ILttngHandler {
	/** How many messages it has handed on to a session. */
	long getEventCount();

	void close();
}
