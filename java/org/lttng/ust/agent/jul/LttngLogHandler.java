// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
package org.lttng.ust.agent.jul;

import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

import org.lttng.ust.agent.ILttngHandler;
import org.lttngmap.agent.Tracepoint;

/** LTTng's handler of java.util.logging, by lttngmap: an event lttng_jul:event for each message. */
public class LttngLogHandler extends Handler implements ILttngHandler {
	private static final Formatter ARGUMENTS = new Formatter() {
		@Override
		public String format(LogRecord record) {
			return formatMessage(record);
		}
	};

	private final LongAdder count = new LongAdder();

	/** Does not throw: LTTng's may, and programs expect it. */
	public LttngLogHandler() throws IOException, SecurityException {
	}

	@Override
	public void publish(LogRecord record) {
		if (!Tracepoint.JUL.isOn() || !isLoggable(record)
				|| !Tracepoint.JUL.mayTake(record.getLoggerName(), record.getLevel().intValue()))
			return;
		count.increment();
		Tracepoint.JUL.write(ARGUMENTS.format(record), record.getLoggerName(), record.getSourceClassName(),
				record.getSourceMethodName(), record.getMillis(), record.getLevel().intValue(),
				record.getThreadID());
	}

	@Override
	public long getEventCount() {
		return count.sum();
	}

	@Override
	public void flush() {
	}

	@Override
	public void close() {
	}
}
