// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
package org.lttng.ust.agent.log4j2;

import java.util.concurrent.atomic.LongAdder;

import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginElement;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.lttng.ust.agent.ILttngHandler;
import org.lttngmap.agent.Tracepoint;

/**
 * LTTng's appender of log4j 2, by lttngmap: an event lttng_log4j2:event for each message. In a
 * configuration it is &lt;Lttng name="..."/&gt;; with domain="LOG4J" its events are lttng_log4j:event,
 * with the levels of log4j 1.
 */
@Plugin(name = LttngLogAppender.PLUGIN_NAME, category = Core.CATEGORY_NAME, elementType = Appender.ELEMENT_TYPE)
public final class LttngLogAppender extends AbstractAppender implements ILttngHandler {
	public static final String PLUGIN_NAME = "Lttng";

	private final LongAdder count = new LongAdder();
	private final boolean isLog4j1;

	private LttngLogAppender(String name, boolean isLog4j1, Filter filter, boolean ignoreExceptions) {
		super(name, filter, null, ignoreExceptions, Property.EMPTY_ARRAY);
		this.isLog4j1 = isLog4j1;
	}

	@PluginFactory
	public static LttngLogAppender createAppender(@PluginAttribute("name") String name,
			@PluginAttribute(value = "domain", defaultString = "LOG4J2") String domain,
			@PluginAttribute(value = "ignoreExceptions", defaultBoolean = true) boolean ignoreExceptions,
			@PluginElement("Filters") Filter filter) {
		if (name == null) {
			LOGGER.error("{}: an appender has to have a name", PLUGIN_NAME);
			return null;
		}
		if (!domain.equalsIgnoreCase("LOG4J") && !domain.equalsIgnoreCase("LOG4J2")) {
			LOGGER.error("{} {}: domain is LOG4J2 or LOG4J, not {}", PLUGIN_NAME, name, domain);
			return null;
		}
		return new LttngLogAppender(name, domain.equalsIgnoreCase("LOG4J"), filter, ignoreExceptions);
	}

	@Override
	public void append(LogEvent event) {
		Tracepoint tracepoint = isLog4j1 ? Tracepoint.LOG4J : Tracepoint.LOG4J2;
		int level = isLog4j1 ? log4j1Level(event.getLevel().intLevel()) : event.getLevel().intLevel();
		if (!tracepoint.mayTake(event.getLoggerName(), level))
			return;
		StackTraceElement place = event.getSource();
		count.increment();
		tracepoint.write(event.getMessage().getFormattedMessage(), event.getLoggerName(),
				place == null ? null : place.getClassName(), place == null ? null : place.getMethodName(),
				place == null ? null : place.getFileName(), place == null ? -1 : place.getLineNumber(),
				event.getTimeMillis(), level, event.getThreadName());
	}

	/** 100 is FATAL in log4j 2, and 50000 in log4j 1; between two levels it is the less severe one. */
	private static int log4j1Level(int level) {
		if (level <= 0)
			return Integer.MAX_VALUE;
		if (level <= 100)
			return 50000;
		if (level <= 200)
			return 40000;
		if (level <= 300)
			return 30000;
		if (level <= 400)
			return 20000;
		if (level <= 500)
			return 10000;
		return level <= 600 ? 5000 : Integer.MIN_VALUE;
	}

	/** For asynchronous loggers: the place of a message is found where it is logged. */
	@Override
	public boolean requiresLocation() {
		return true;
	}

	@Override
	public long getEventCount() {
		return count.sum();
	}

	@Override
	public void close() {
		stop();
	}
}
