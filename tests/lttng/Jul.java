// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.lttng.ust.agent.jul.LttngLogHandler;

/** Logs by java.util.logging, for LTTng's agent and for ours. */
public final class Jul {
	private static final Logger ORDER = Logger.getLogger("shop.order");
	private static final Logger OTHER = Logger.getLogger("other");

	private static void sell(int number) {
		ORDER.log(Level.FINEST, "finest {0}", number);
		ORDER.log(Level.INFO, "sold {0} of {1}", new Object[] { number, "Größe" });
		ORDER.fine("it''s {0}");
		ORDER.config("");
	}

	public static void main(String[] arguments) throws Exception {
		Logger root = Logger.getLogger("");
		for (Handler handler : root.getHandlers())
			root.removeHandler(handler);
		Handler handler = new LttngLogHandler();
		root.addHandler(handler);
		ORDER.setLevel(Level.ALL);
		sell(1);
		Thread worker = new Thread(() -> sell(2), "worker");
		worker.start();
		worker.join();
		OTHER.fine("not for the level of the logger");
		OTHER.warning("one");
		OTHER.log(Level.SEVERE, "with an exception", new IllegalStateException("why"));
		OTHER.log(new Level("OWN", 850) { }, "a level of its own");
		root.info("the root's");
		System.getLogger("system").log(System.Logger.Level.ERROR, "by System.Logger: {0}", 7);
		LogRecord record = new LogRecord(Level.INFO, "made elsewhere");
		record.setLoggerName("other");
		record.setSourceClassName("a.Class");
		record.setSourceMethodName("method");
		OTHER.log(record);
		handler.close();
	}
}
