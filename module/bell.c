// SPDX-License-Identifier: GPL-2.0
// SPDX-FileCopyrightText: 2026 The lttngmap authors
/*
 * bell.c - the process's doorbell and its end, as they happen, with no daemon between.
 *
 * The doorbell is the process's eventfd, the end that of its thread group. A wait queue calls
 * this file for both, with interrupts off: it counts, wakes the readers, and leaves to a work what
 * may sleep.
 */
#include "module/set.h"

#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

static struct workqueue_struct *queue;

int bell_begin(void)
{
	queue = alloc_workqueue("lttngmap", 0, 0);
	return queue ? 0 : -ENOMEM;
}

void bell_end(void)
{
	destroy_workqueue(queue);
}

static void run_work(struct work_struct *work)
{
	set_update(container_of(work, struct lttngmap_set, work), true);
}

static void ring(struct lttngmap_set *set)
{
	atomic_inc(&set->bells);
	wake_up_interruptible_poll(&set->wait, EPOLLIN | EPOLLRDNORM);
}

static int on_doorbell(wait_queue_entry_t *wait, unsigned int mode, int flags, void *key)
{
	struct lttngmap_set *set = container_of(wait, struct lttngmap_set, doorbell_wait);

	if (!atomic_read(&set->shown))
		queue_work(queue, &set->work);
	ring(set);
	return 0;
}

static bool has_ended(struct pid *process)
{
	struct task_struct *task;
	bool ended;

	rcu_read_lock();
	task = pid_task(process, PIDTYPE_TGID);
	ended = !task || (READ_ONCE(task->exit_state) && thread_group_empty(task));
	rcu_read_unlock();
	return ended;
}

/* Later kernels call also where one thread has ended, and others have not. */
static int on_process(wait_queue_entry_t *wait, unsigned int mode, int flags, void *key)
{
	struct lttngmap_set *set = container_of(wait, struct lttngmap_set, process_wait);

	if (!has_ended(set->process))
		return 0;
	WRITE_ONCE(set->ended, true);
	queue_work(queue, &set->work);
	ring(set);
	return 0;
}

static void queue_doorbell(struct file *file, wait_queue_head_t *head, poll_table *table)
{
	struct lttngmap_set *set = container_of(table, struct lttngmap_set, doorbell_table);

	set->doorbell_head = head;
	add_wait_queue(head, &set->doorbell_wait);
}

static int start_doorbell(struct lttngmap_set *set)
{
	struct file *file = fget(set->info.doorbell);
	struct eventfd_ctx *context;

	if (!file)
		return -EBADF;
	/* No other file: those behind an epoll could lead back to the set's own. */
	context = eventfd_ctx_fileget(file);
	if (IS_ERR(context)) {
		fput(file);
		return PTR_ERR(context);
	}
	eventfd_ctx_put(context);
	set->doorbell = file;
	init_waitqueue_func_entry(&set->doorbell_wait, on_doorbell);
	init_poll_funcptr(&set->doorbell_table, queue_doorbell);
	vfs_poll(file, &set->doorbell_table);
	return 0;
}

static int start_process(struct lttngmap_set *set)
{
	set->process = find_get_pid(set->info.process);
	if (!set->process)
		return -ESRCH;
	init_waitqueue_func_entry(&set->process_wait, on_process);
	add_wait_queue(&set->process->wait_pidfd, &set->process_wait);
	/* It may have ended before: then nobody calls. */
	on_process(&set->process_wait, 0, 0, NULL);
	return 0;
}

int bell_start(struct lttngmap_set *set)
{
	int error = 0;

	INIT_WORK(&set->work, run_work);
	if (set->info.doorbell >= 0)
		error = start_doorbell(set);
	if (error == 0 && set->info.process)
		error = start_process(set);
	return error;
}

void bell_stop(struct lttngmap_set *set)
{
	if (set->doorbell_head)
		remove_wait_queue(set->doorbell_head, &set->doorbell_wait);
	set->doorbell_head = NULL;
	if (set->process) {
		remove_wait_queue(&set->process->wait_pidfd, &set->process_wait);
		put_pid(set->process);
	}
	set->process = NULL;
	if (set->doorbell)
		fput(set->doorbell);
	set->doorbell = NULL;
	cancel_work_sync(&set->work);
}
