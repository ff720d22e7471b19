# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Java's logging libraries as events: a jar with LTTng's names of handlers and appenders, and the library that it calls.

java_sources = \
	java/org/lttng/ust/agent/ILttngHandler.java \
	java/org/lttng/ust/agent/LTTngAgent.java \
	java/org/lttng/ust/agent/context/ContextInfoManager.java \
	java/org/lttng/ust/agent/context/IContextInfoRetriever.java \
	java/org/lttng/ust/agent/jul/LttngLogHandler.java \
	java/org/lttng/ust/agent/log4j/LttngLogAppender.java \
	java/org/lttng/ust/agent/log4j2/LttngLogAppender.java
EXTRA_DIST += $(java_sources) java/java.map java/org/lttngmap/agent/Tracepoint.java.in
CLEANFILES += java/lttngmap-agent.jar

if HAVE_JAVA
lib_LTLIBRARIES += liblttngmap-java.la
liblttngmap_java_la_SOURCES = java/jni.c
liblttngmap_java_la_CPPFLAGS = $(AM_CPPFLAGS) $(JNI_CPPFLAGS)
liblttngmap_java_la_LDFLAGS = $(AM_LDFLAGS) $(TRACED_LDFLAGS) -module -avoid-version -shared \
	$(beside_ldflags) -Wl,-z,nodelete -Wl,-z,defs -Wl,--version-script=$(top_srcdir)/java/java.map
EXTRA_liblttngmap_java_la_DEPENDENCIES = liblttngmap.la java/java.map

javadir = $(datadir)/java
nodist_java_DATA = java/lttngmap-agent.jar
# log4j 2 finds its appender by a list that its own compiler's plugin writes, which says that it does.
java/lttngmap-agent.jar: $(java_sources) java/org/lttngmap/agent/Tracepoint.java.in Makefile
	$(AM_V_GEN)rm -rf java/classes && $(MKDIR_P) java/classes java/made && \
	$(SED) 's|@LIBDIR_FROM_JAVADIR[@]|$(LIBDIR_FROM_JAVADIR)|' \
		$(top_srcdir)/java/org/lttngmap/agent/Tracepoint.java.in >java/made/Tracepoint.java && \
	$(JAVAC) --release 11 -Xlint:all -encoding UTF-8 -cp '$(LOG4J_CLASSPATH)' -d java/classes java/made/Tracepoint.java \
		$(java_sources:%=$(top_srcdir)/%) 2>java/said || { cat java/said >&2; exit 1; } && \
	$(JAR) --create --file $@.tmp -C java/classes . && mv $@.tmp $@

# LTTng's names of the jars, in its prefix.
lttng_jars = common jul log4j log4j2 all

mostlyclean-local:
	rm -rf java/classes java/made java/said
endif
