/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-consumer.h - the messages to a consumer about a session's kernel domain. The consumer
 * treats the kernel domain as one more session, named KEY/kernel.
 *
 * Main thread. Each function does nothing if the consumer is not connected.
 */
#ifndef SESSIOND_KERNEL_KERNEL_CONSUMER_H
#define SESSIOND_KERNEL_KERNEL_CONSUMER_H

#include <stdbool.h>
#include <stdint.h>

struct consumer_link;
struct kernel_domain;

void kernel_consumer_send_session(struct consumer_link *link, const struct kernel_domain *domain);
void kernel_consumer_send_metadata(struct consumer_link *link, const struct kernel_domain *domain,
				   bool final);
void kernel_consumer_send_channel(struct consumer_link *link, const struct kernel_domain *domain);
/* Asks the consumer to read all rings up to `time`, and to note that in the trace. */
void kernel_consumer_send_live(struct consumer_link *link, const struct kernel_domain *domain,
			       uint64_t time);
void kernel_consumer_send_end(struct consumer_link *link, const struct kernel_domain *domain);

#endif /* SESSIOND_KERNEL_KERNEL_CONSUMER_H */
