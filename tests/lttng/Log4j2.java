// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/** Logs by log4j 2, whose configuration log4j2.xml has the appender. */
public final class Log4j2 {
	private static final Logger ORDER = LogManager.getLogger("shop.order");
	private static final Logger OTHER = LogManager.getLogger("other");

	private static void sell(int number) {
		ORDER.trace("trace {}", number);
		ORDER.info("sold {} of {}", number, "Größe");
		ORDER.debug((Object) null);
	}

	public static void main(String[] arguments) throws Exception {
		sell(1);
		Thread worker = new Thread(() -> sell(2), "worker");
		worker.start();
		worker.join();
		OTHER.debug("not for the level of the logger");
		OTHER.warn("one");
		OTHER.error("with an exception", new IllegalStateException("why"));
		OTHER.fatal("");
		LogManager.getRootLogger().info("the root's");
	}
}
