// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
package org.lttng.ust.agent.context;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps what programs register for LTTng's application contexts. */
public final class ContextInfoManager {
	private static final ContextInfoManager INSTANCE = new ContextInfoManager();

	private final Map<String, IContextInfoRetriever> retrievers = new ConcurrentHashMap<>();

	private ContextInfoManager() {
	}

	/** Does not throw: LTTng's may, and programs expect it. */
	public static ContextInfoManager getInstance() throws IOException, SecurityException {
		return INSTANCE;
	}

	/** False: there is one of that name. */
	public boolean registerContextInfoRetriever(String name, IContextInfoRetriever retriever) {
		return retrievers.putIfAbsent(name, retriever) == null;
	}

	/** False: there is none of that name. */
	public boolean unregisterContextInfoRetriever(String name) {
		return retrievers.remove(name) != null;
	}

	/** Null: there is none of that name. */
	public IContextInfoRetriever getContextInfoRetriever(String name) {
		return retrievers.get(name);
	}
}
