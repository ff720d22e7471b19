// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The lttngmap authors
package org.lttng.ust.agent.context;

/** Gives the values of an application's contexts. lttngmap has no such contexts, and asks for none. */
public interface IContextInfoRetriever {
	Object retrieveContextInfo(String key);
}
