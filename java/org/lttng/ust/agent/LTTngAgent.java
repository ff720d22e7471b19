// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
package org.lttng.ust.agent;

import java.io.IOException;
import java.util.logging.Handler;
import java.util.logging.Logger;

import org.lttng.ust.agent.jul.LttngLogHandler;

/** LTTng's older interface: a handler at the root of java.util.logging, and of log4j 1 if it is there. */
@Deprecated
public class LTTngAgent {
	private static LTTngAgent instance;

	private Handler handler;
	private Runnable removeAppender;

	private LTTngAgent() {
		try {
			handler = new LttngLogHandler();
			Logger.getLogger("").addHandler(handler);
		} catch (IOException | SecurityException error) {
			handler = null;
		}
		try {
			removeAppender = Log4jRoot.add();
		} catch (LinkageError | IOException | SecurityException none) {
			removeAppender = null;
		}
	}

	public static synchronized LTTngAgent getLTTngAgent() {
		if (instance == null)
			instance = new LTTngAgent();
		return instance;
	}

	public void dispose() {
		synchronized (LTTngAgent.class) {
			if (instance != this)
				return;
			instance = null;
		}
		if (handler != null)
			Logger.getLogger("").removeHandler(handler);
		if (removeAppender != null)
			removeAppender.run();
	}

	/** A class of its own, which is loaded only here: log4j may be missing. */
	private static final class Log4jRoot {
		static Runnable add() throws IOException {
			org.lttng.ust.agent.log4j.LttngLogAppender appender =
					new org.lttng.ust.agent.log4j.LttngLogAppender();
			org.apache.log4j.Logger root = org.apache.log4j.Logger.getRootLogger();

			root.addAppender(appender);
			return () -> root.removeAppender(appender);
		}
	}
}
