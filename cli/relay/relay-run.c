/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "cli/relay/relay-run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/base/shell-quote.h"
#include "common/base/log.h"

static volatile sig_atomic_t finish, stop;
static bool nothing_comes;

int relay_run_parse_timeout(const char *verb, const char *text, int *timeout_ms)
{
	uint64_t ms = RELAY_TIMEOUT_MS;

	if (text && (options_parse_duration(text, &ms) != 0 || ms < 100 || ms > 3600000)) {
		message_error("%s: --timeout: '%s' cannot be used", verb, text);
		message_hint("it is a time from 100 ms to an hour");
		return -EINVAL;
	}
	*timeout_ms = (int)ms;
	return 0;
}

/* If nothing more can come, this ends the sending. */
static void on_finish(int signal)
{
	(void)signal;
	finish = 1;
	if (nothing_comes)
		stop = 1;
}

static void on_stop(int signal)
{
	(void)signal;
	stop = 1;
}

static void set_signals(void)
{
	struct sigaction action = { .sa_handler = on_finish }, before;
	sigset_t none;

	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = on_stop;
	sigaction(SIGINT, &action, NULL);
	/* A sender started by nohup keeps running. */
	sigaction(SIGHUP, NULL, &before);
	if (before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	/* sendfile(2) raises SIGPIPE. */
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	/* Earlier signals were blocked until now: relay-keep.h. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void tell_rest(const char *url, const struct relay_config *config)
{
	char *quoted = shell_quote(url), *output = shell_quote(config->output);

	if (quoted && output)
		message_hint("the rest lies in %s; `lttngmap relay%s --session %s %s %s` sends it",
			     config->output, config->is_spool ? " --spool" : "", config->session,
			     quoted, output);
	free(quoted);
	free(output);
}

void relay_run_explain(const char *verb, const char *url, const struct relay_config *config,
		       int error)
{
	switch (error) {
	case -ENOENT:
		message_error("%s: '%s' has no trace", verb, config->output);
		message_hint("name the directory that has ust or kernel in it");
		break;
	case -EBUSY:
		message_error("%s: '%s' is being sent already", verb, config->output);
		message_hint("`pgrep -af 'lttngmap relay'` shows who does");
		break;
	case -ETIMEDOUT:
		message_error("%s: the collector %s does not take all of the trace", verb,
			      config->url.host);
		tell_rest(url, config);
		break;
	case -EBADMSG:
		message_error("%s: streams in '%s' are broken, and were not sent whole", verb,
			      config->output);
		message_hint("`lttngmap recover %s` mends what can be mended", config->output);
		break;
	case -EINTR:
		message_error("%s: given up, not all was sent", verb);
		tell_rest(url, config);
		break;
	default:
		message_error("%s: '%s': %s", verb, config->output, strerror(-error));
		break;
	}
}

int relay_run_verb(const char *verb, const char *url, struct relay_config *config, bool is_complete,
		   struct relay_result *result)
{
	int error;

	log_init("lttngmap");
	finish = nothing_comes = is_complete;
	config->finish = &finish;
	config->stop = &stop;
	set_signals();
	error = relay_run(config, result);
	if (error)
		relay_run_explain(verb, url, config, error);
	return error;
}
