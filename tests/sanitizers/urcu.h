/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * urcu.h - what ThreadSanitizer cannot see: liburcu is not instrumented, and
 * its counters are inline assembly. Included before all else of each C file
 * of a build with -fsanitize=thread; nothing is hidden by it, for it only says
 * which orders liburcu's own documentation promises:
 *
 *   reference count   the last put comes after all that was done before the others
 *   queue             who dequeues comes after who enqueued
 *   table             who finds an entry comes after who added it
 *   call_rcu          the callback comes after the call, and after all
 *                     read-side sections that were begun before it
 *   rcu_barrier       comes after the callbacks
 *
 * The last three share one place, `seen_rcu`. So there is a little more order
 * than there is in truth: between two tables, and between the callbacks.
 */
#ifndef LTTNGMAP_SANITIZERS_URCU_H
#define LTTNGMAP_SANITIZERS_URCU_H

#if defined(__SANITIZE_THREAD__) && !defined(__cplusplus)

#include <sanitizer/tsan_interface.h>
#include <stdbool.h>
#include <urcu.h>
#include <urcu/rculfhash.h>
#include <urcu/ref.h>
#include <urcu/wfcqueue.h>

/* One of them in a program, whoever includes this. */
__attribute__((weak)) char seen_rcu;

static inline bool seen_ref_get_unless_zero(struct urcu_ref *ref)
{
	long old = __atomic_load_n(&ref->refcount, __ATOMIC_RELAXED);

	while (old > 0)
		if (__atomic_compare_exchange_n(&ref->refcount, &old, old + 1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return true;
	return false;
}

static inline void seen_ref_put(struct urcu_ref *ref, void (*release)(struct urcu_ref *))
{
	if (__atomic_sub_fetch(&ref->refcount, 1, __ATOMIC_ACQ_REL) == 0)
		release(ref);
}

#define urcu_ref_init(ref) __atomic_store_n(&(ref)->refcount, 1, __ATOMIC_RELAXED)
#define urcu_ref_get(ref) ((void)__atomic_add_fetch(&(ref)->refcount, 1, __ATOMIC_RELAXED))
#define urcu_ref_get_unless_zero(ref) seen_ref_get_unless_zero(ref)
#define urcu_ref_put(ref, release) seen_ref_put(ref, release)

static inline bool seen_enqueue(struct cds_wfcq_head *head, struct cds_wfcq_tail *tail,
				struct cds_wfcq_node *node)
{
	__tsan_release(node);
	return cds_wfcq_enqueue(head, tail, node);
}

static inline struct cds_wfcq_node *seen_dequeue(struct cds_wfcq_head *head,
						 struct cds_wfcq_tail *tail)
{
	struct cds_wfcq_node *node = __cds_wfcq_dequeue_blocking(head, tail);

	if (node)
		__tsan_acquire(node);
	return node;
}

#define cds_wfcq_enqueue(head, tail, node) seen_enqueue(head, tail, node)
#define __cds_wfcq_dequeue_blocking(head, tail) seen_dequeue(head, tail)

static inline void seen_read_unlock(void)
{
	__tsan_release(&seen_rcu);
	urcu_memb_read_unlock();
}

static inline void seen_add(struct cds_lfht *table, unsigned long hash, struct cds_lfht_node *node)
{
	__tsan_release(&seen_rcu);
	cds_lfht_add(table, hash, node);
}

static inline void seen_barrier(void)
{
	urcu_memb_barrier();
	__tsan_acquire(&seen_rcu);
}

#define urcu_memb_read_unlock() seen_read_unlock()
#define urcu_memb_barrier() seen_barrier()
#define cds_lfht_add(table, hash, node) seen_add(table, hash, node)

/* `match` and `callback` are names of functions: so these are, too, and no trampolines. */
#define cds_lfht_lookup(table, hash, match, key, iter)                                             \
	({                                                                                         \
		int seen_match(struct cds_lfht_node *seen_node, const void *seen_key)              \
		{                                                                                  \
			__tsan_acquire(&seen_rcu);                                                 \
			return match(seen_node, seen_key);                                         \
		}                                                                                  \
		cds_lfht_lookup(table, hash, seen_match, key, iter);                               \
	})
#define urcu_memb_call_rcu(head, callback)                                                         \
	({                                                                                         \
		void seen_callback(struct rcu_head *seen_head)                                     \
		{                                                                                  \
			__tsan_acquire(&seen_rcu);                                                 \
			callback(seen_head);                                                       \
			__tsan_release(&seen_rcu);                                                 \
		}                                                                                  \
		__tsan_release(&seen_rcu);                                                         \
		urcu_memb_call_rcu(head, seen_callback);                                           \
	})

#endif

#endif /* LTTNGMAP_SANITIZERS_URCU_H */
