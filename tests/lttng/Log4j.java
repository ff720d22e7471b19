// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
import org.apache.log4j.Level;
import org.apache.log4j.Logger;

import org.lttng.ust.agent.log4j.LttngLogAppender;

/** Logs by log4j 1, for LTTng's agent and for ours. */
public final class Log4j {
	private static final Logger ORDER = Logger.getLogger("shop.order");
	private static final Logger OTHER = Logger.getLogger("other");

	private static void sell(int number) {
		ORDER.trace("trace " + number);
		ORDER.info("sold " + number + " of Größe");
		ORDER.debug("");
	}

	public static void main(String[] arguments) throws Exception {
		LttngLogAppender appender = new LttngLogAppender();
		Logger.getRootLogger().addAppender(appender);
		Logger.getRootLogger().setLevel(Level.INFO);
		ORDER.setLevel(Level.ALL);
		sell(1);
		Thread worker = new Thread(() -> sell(2), "worker");
		worker.start();
		worker.join();
		OTHER.debug("not for the level of the logger");
		OTHER.warn("one");
		OTHER.error("with an exception", new IllegalStateException("why"));
		OTHER.fatal("");
		Logger.getRootLogger().info("the root's");
		appender.close();
	}
}
