/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * link.h - the connection to the session daemon: common/protocol/protocol-control.h,
 * "The consumer's connection". Turns its messages into calls.
 */
#ifndef CONSUMERD_LINK_H
#define CONSUMERD_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include <systemd/sd-event.h>

#include "common/base/losses.h"
#include "common/protocol/ctf.h"
#include "consumerd/session/output-session.h"

struct link;

/* The event loop calls these. Strings are valid during the call, and never NULL or empty. */
struct link_ops {
	void (*session)(void *userdata, const char *session,
			const struct output_session_config *config);
	void (*channel)(void *userdata, const char *session, const char *channel,
			uint32_t stream_id, const struct stream_limits *limits);
	void (*channel_end)(void *userdata, const char *session, const char *channel);
	/*
	 * `memory` is the callee's to close, as is `formats`, which is -1 or the kernel's. It holds
	 * the text from `offset` on.
	 */
	void (*metadata)(void *userdata, const char *session, uint64_t generation, uint64_t offset,
			 int memory, int formats, bool final);
	void (*clear)(void *userdata, const char *session);
	void (*rotate)(void *userdata, const char *session,
		       const struct output_session_rotation *rotation);
	void (*live)(void *userdata, const char *session, uint64_t time);
	void (*recording)(void *userdata, const char *session, bool on);
	void (*losses)(void *userdata, const char *session, const struct losses *losses);
	void (*end)(void *userdata, const char *session);
	/* The daemon is gone. The link says and sends nothing from here on. */
	void (*closed)(void *userdata);
};

/*
 * Connects to the control socket and introduces this process. 0 or -errno;
 * -EPROTO: the daemon refused, which is logged.
 */
int link_create(sd_event *loop, const char *path, const struct link_ops *ops, void *userdata,
		struct link **link);
/* NULL is allowed. */
void link_destroy(struct link *link);

/*
 * Send the message "written", "broken", "rotated", "busy" or "alive". 0 or -errno; -EAGAIN: the
 * daemon is slow, try later.
 */
int link_send_written(struct link *link, const char *session,
		      const struct output_session_written *written);

int link_send_broken(struct link *link, const char *session,
		     const struct output_session_broken *broken);

int link_send_rotated(struct link *link, const char *session,
		      const struct output_session_rotation *rotation);

int link_send_busy(struct link *link);
int link_send_alive(struct link *link, bool busy);

#endif /* CONSUMERD_LINK_H */
