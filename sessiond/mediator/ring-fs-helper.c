/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * The helper thread: ordinary calls on the mount, so that inotify tells of
 * them. Jobs come through a wait-free queue from the ring thread and the main
 * thread and are done in order; an eventfd wakes the helper.
 */
#include "sessiond/mediator/ring-fs.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <urcu/wfcqueue.h>

#include "sessiond/base/messages.h"
#include "sessiond/mediator/ring-dirs.h"

/* No answer for so long means that the ring thread does not run. */
#define WAIT_S 10

enum job_kind {
	JOB_ADD_CHANNEL,
	JOB_REMOVE_CHANNEL,
	JOB_MAKE_FILE,
	JOB_REMOVE_FILE,
};

struct job {
	struct cds_wfcq_node node;
	enum job_kind kind;
	unsigned references; /* the queue's, and a waiter's; atomic */
	int result;          /* before `done` is posted; atomic */
	sem_t done;
	const char *session;
	const char *channel;
	const char *name;
	char strings[];
};

struct ring_fs_helper {
	struct cds_wfcq_head head;
	struct cds_wfcq_tail tail;
	int wakeup;    /* eventfd, blocking */
	bool stopping; /* atomic */
	bool running;
	pid_t tid; /* atomic: set by the thread itself */
	pthread_t thread;
	struct ring_dirs *dirs;
};

static struct job *job_create(enum job_kind kind, const char *session, const char *channel,
			      const char *name)
{
	size_t session_size = strlen(session) + 1, channel_size = strlen(channel) + 1;
	size_t name_size = strlen(name) + 1;
	struct job *job = calloc(1, sizeof(*job) + session_size + channel_size + name_size);

	if (!job)
		return NULL;
	cds_wfcq_node_init(&job->node);
	job->kind = kind;
	sem_init(&job->done, 0, 0);
	job->session = memcpy(job->strings, session, session_size);
	job->channel = memcpy(job->strings + session_size, channel, channel_size);
	job->name = memcpy(job->strings + session_size + channel_size, name, name_size);
	return job;
}

static void job_put(struct job *job)
{
	if (__atomic_sub_fetch(&job->references, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	sem_destroy(&job->done);
	free(job);
}

/* ---- the thread --------------------------------------------------------------- */

static int make_file(const struct ring_fs_helper *helper, const struct job *job)
{
	char path[PATH_MAX];
	int error = ring_dirs_path(helper->dirs, job->session, job->channel, "", job->name, path);

	if (!error && mknod(path, S_IFREG | 0440, 0) < 0)
		error = -errno;
	if (error && !__atomic_load_n(&helper->stopping, __ATOMIC_ACQUIRE))
		message_say("The ring file %s/%s/%s cannot be made: %s. What its process writes "
			    "is not read.",
			    job->session, job->channel, job->name, strerror(-error));
	return error;
}

static int run(struct ring_fs_helper *helper, const struct job *job)
{
	switch (job->kind) {
	case JOB_ADD_CHANNEL:
		return ring_dirs_add_channel(helper->dirs, job->session, job->channel);
	case JOB_REMOVE_CHANNEL:
		ring_dirs_remove_channel(helper->dirs, job->session, job->channel);
		return 0;
	case JOB_MAKE_FILE:
		return make_file(helper, job);
	case JOB_REMOVE_FILE:
		ring_dirs_remove_file(helper->dirs, job->session, job->channel, job->name);
		return 0;
	}
	return -EINVAL;
}

/*
 * The next job, or NULL at the end. Only the helper dequeues, so no lock. The
 * queue orders a job's contents before it, but not in C11's terms; the pair of
 * release in queue() and acquire here says it so that ThreadSanitizer knows.
 */
static struct job *next_job(struct ring_fs_helper *helper)
{
	struct cds_wfcq_node *node;
	uint64_t count;

	for (;;) {
		if (__atomic_load_n(&helper->stopping, __ATOMIC_ACQUIRE))
			return NULL;
		node = __cds_wfcq_dequeue_blocking(&helper->head, &helper->tail);
		if (node) {
			struct job *job = caa_container_of(node, struct job, node);

			(void)__atomic_load_n(&job->references, __ATOMIC_ACQUIRE);
			return job;
		}
		if (read(helper->wakeup, &count, sizeof(count)) < 0 && errno != EINTR)
			return NULL;
	}
}

static void *helper_main(void *data)
{
	struct ring_fs_helper *helper = data;
	struct job *job;

	pthread_setname_np(pthread_self(), "ring-fs");
	/* Before the first request that the ring thread shall know by it. */
	__atomic_store_n(&helper->tid, gettid(), __ATOMIC_RELEASE);
	while ((job = next_job(helper))) {
		__atomic_store_n(&job->result, run(helper, job), __ATOMIC_RELEASE);
		sem_post(&job->done);
		job_put(job);
	}
	return NULL;
}

static void wake(struct ring_fs_helper *helper)
{
	uint64_t one = 1;
	ssize_t written = write(helper->wakeup, &one, sizeof(one));

	/* It fails only where 2^64 - 2 wake-ups are pending already. */
	(void)written;
}

/* ---- its life -------------------------------------------------------------------- */

int ring_fs_helper_create(const char *root, struct ring_fs_helper **result)
{
	struct ring_fs_helper *helper = calloc(1, sizeof(*helper));
	sigset_t all, before;
	int error;

	*result = NULL;
	if (!helper)
		return -ENOMEM;
	cds_wfcq_init(&helper->head, &helper->tail);
	helper->wakeup = eventfd(0, EFD_CLOEXEC);
	error = helper->wakeup < 0 ? -errno : ring_dirs_create(root, &helper->dirs);
	if (!error) {
		/* A signal would end a request half-way. */
		sigfillset(&all);
		sigdelset(&all, SIGBUS); /* as in ring-thread.c */
		pthread_sigmask(SIG_SETMASK, &all, &before);
		error = -pthread_create(&helper->thread, NULL, helper_main, helper);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		helper->running = error == 0;
	}
	if (error) {
		ring_fs_helper_destroy(helper);
		return error;
	}
	*result = helper;
	return 0;
}

void ring_fs_helper_destroy(struct ring_fs_helper *helper)
{
	struct cds_wfcq_node *node;

	if (!helper)
		return;
	if (helper->running) {
		__atomic_store_n(&helper->stopping, true, __ATOMIC_RELEASE);
		wake(helper);
		pthread_join(helper->thread, NULL);
	}
	while ((node = __cds_wfcq_dequeue_blocking(&helper->head, &helper->tail)))
		job_put(caa_container_of(node, struct job, node));
	ring_dirs_destroy(helper->dirs);
	if (helper->wakeup >= 0)
		close(helper->wakeup);
	free(helper);
}

bool ring_fs_helper_is(const struct ring_fs_helper *helper, pid_t pid)
{
	return helper && pid > 0 && pid == __atomic_load_n(&helper->tid, __ATOMIC_ACQUIRE);
}

/* ---- orders ------------------------------------------------------------------------ */

static void queue(struct ring_fs_helper *helper, struct job *job)
{
	__atomic_add_fetch(&job->references, 1, __ATOMIC_RELEASE);
	cds_wfcq_enqueue(&helper->head, &helper->tail, &job->node);
	wake(helper);
}

static int order(struct ring_fs_helper *helper, enum job_kind kind, const char *session,
		 const char *channel, const char *name)
{
	struct job *job = job_create(kind, session, channel, name);

	if (!job)
		return -ENOMEM;
	queue(helper, job);
	return 0;
}

int ring_fs_helper_add_channel(struct ring_fs_helper *helper, const char *session,
			       const char *channel)
{
	struct job *job = job_create(JOB_ADD_CHANNEL, session, channel, "");
	struct timespec deadline;
	int result;

	if (!job)
		return -ENOMEM;
	job->references = 1;
	queue(helper, job);
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += WAIT_S;
	do
		result = sem_clockwait(&job->done, CLOCK_MONOTONIC, &deadline) < 0 ? -errno : 0;
	while (result == -EINTR);
	if (result == 0)
		result = __atomic_load_n(&job->result, __ATOMIC_ACQUIRE);
	job_put(job);
	return result;
}

int ring_fs_helper_remove_channel(struct ring_fs_helper *helper, const char *session,
				  const char *channel)
{
	return order(helper, JOB_REMOVE_CHANNEL, session, channel, "");
}

int ring_fs_helper_make_file(struct ring_fs_helper *helper, const char *session,
			     const char *channel, const char *name)
{
	return order(helper, JOB_MAKE_FILE, session, channel, name);
}

int ring_fs_helper_remove_file(struct ring_fs_helper *helper, const char *session,
			       const char *channel, const char *name)
{
	return order(helper, JOB_REMOVE_FILE, session, channel, name);
}
