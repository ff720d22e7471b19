// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
package org.lttng.ust.agent.log4j;

import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;

import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.spi.LocationInfo;
import org.apache.log4j.spi.LoggingEvent;
import org.lttng.ust.agent.ILttngHandler;
import org.lttngmap.agent.Tracepoint;

/** LTTng's appender of log4j 1, by lttngmap: an event lttng_log4j:event for each message. */
public class LttngLogAppender extends AppenderSkeleton implements ILttngHandler {
	private final LongAdder count = new LongAdder();

	/** Does not throw: LTTng's may, and programs expect it. */
	public LttngLogAppender() throws IOException, SecurityException {
	}

	@Override
	protected void append(LoggingEvent event) {
		if (!Tracepoint.LOG4J.mayTake(event.getLoggerName(), event.getLevel().toInt()))
			return;
		LocationInfo place = event.getLocationInformation();
		count.increment();
		Tracepoint.LOG4J.write(event.getRenderedMessage(), event.getLoggerName(), place.getClassName(),
				place.getMethodName(), place.getFileName(), line(place), event.getTimeStamp(),
				event.getLevel().toInt(), event.getThreadName());
	}

	/** -1, as LTTng has it, where the line is unknown. */
	private static int line(LocationInfo place) {
		try {
			return Integer.parseInt(place.getLineNumber());
		} catch (NumberFormatException unknown) {
			return -1;
		}
	}

	@Override
	public long getEventCount() {
		return count.sum();
	}

	@Override
	public void close() {
	}

	@Override
	public boolean requiresLayout() {
		return false;
	}
}
