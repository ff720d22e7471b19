// SPDX-License-Identifier: GPL-2.0
// SPDX-FileCopyrightText: 2026 The lttngmap authors
/*
 * file.c - the ring file that readers open: debugfs/lttngmap/SESSION/CHANNEL/PROCNAME-PID-ID.
 *
 * debugfs forwards no mmap for files that it guards itself, so these are "unsafe" ones: the file's
 * own functions are called also after it was removed. An open file holds its set, which then says
 * ENODATA.
 */
#include "module/set.h"

#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/version.h>

struct folder {
	struct list_head node;
	struct folder *parent;
	struct dentry *dentry;
	unsigned int users;
	bool is_kept;            /* of a channel: it is one of its users */
	unsigned int kept_count; /* of a session: channels that are kept */
	const void *owner;       /* of a session: who keeps them */
	char name[];
};

static DEFINE_MUTEX(folders_lock);
static LIST_HEAD(folders);
static struct dentry *root;

/* ---- folders --------------------------------------------------------------------------- */

static struct folder *find_folder(struct folder *parent, const char *name)
{
	struct folder *folder;

	list_for_each_entry(folder, &folders,
			    node) if (folder->parent == parent &&
				      strcmp(folder->name, name) == 0) return folder;
	return NULL;
}

static void put_folder(struct folder *folder)
{
	while (folder && --folder->users == 0) {
		struct folder *parent = folder->parent;

		debugfs_remove(folder->dentry);
		list_del(&folder->node);
		kfree(folder);
		folder = parent;
	}
}

/* A user of the folder, which may be new and is then a user of its parent; takes over `parent`. */
static struct folder *get_folder(struct folder *parent, const char *name)
{
	struct folder *folder = find_folder(parent, name);
	size_t size = strlen(name) + 1;

	if (folder) {
		folder->users++;
		put_folder(parent);
		return folder;
	}
	folder = kzalloc(struct_size(folder, name, size), GFP_KERNEL_ACCOUNT);
	if (folder)
		folder->dentry = debugfs_create_dir(name, parent ? parent->dentry : root);
	if (!folder || IS_ERR(folder->dentry)) {
		kfree(folder);
		put_folder(parent);
		return NULL;
	}
	memcpy(folder->name, name, size);
	folder->parent = parent;
	folder->users = 1;
	list_add(&folder->node, &folders);
	return folder;
}

int file_add_channel(const struct lttngmap_channel_name *name, const void *owner)
{
	struct folder *session, *channel = NULL;
	int error = 0;

	mutex_lock(&folders_lock);
	session = find_folder(NULL, name->session);
	if (session && session->owner && session->owner != owner) {
		error = -EBUSY;
	} else {
		session = get_folder(NULL, name->session);
		if (session)
			channel = get_folder(session, name->channel);
		if (!channel)
			error = -ENOMEM;
	}
	if (channel) {
		session->owner = owner;
		if (channel->is_kept) {
			put_folder(channel);
		} else {
			channel->is_kept = true;
			session->kept_count++;
		}
	}
	mutex_unlock(&folders_lock);
	return error;
}

int file_remove_channel(const struct lttngmap_channel_name *name, const void *owner)
{
	struct folder *session, *channel = NULL;

	mutex_lock(&folders_lock);
	session = find_folder(NULL, name->session);
	if (session && session->owner == owner)
		channel = find_folder(session, name->channel);
	if (channel && channel->is_kept) {
		channel->is_kept = false;
		if (--session->kept_count == 0)
			session->owner = NULL;
		put_folder(channel);
	} else {
		channel = NULL;
	}
	mutex_unlock(&folders_lock);
	return channel ? 0 : -ENOENT;
}

void file_leave_channels(const void *owner)
{
	struct folder *folder;

	mutex_lock(&folders_lock);
	list_for_each_entry(folder, &folders, node)
	{
		if (folder->owner == owner)
			folder->owner = NULL;
	}
	mutex_unlock(&folders_lock);
}

/* ---- an open file ---------------------------------------------------------------------- */

/* The state of one open file. */
struct reader {
	struct lttngmap_set *set;
	bool mapped; /* once */
};

/* debugfs keeps the set while this runs: it is removed only after its file. */
static int file_open(struct inode *inode, struct file *file)
{
	struct lttngmap_set *set = inode->i_private;
	struct reader *reader = kzalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);
	int error;

	if (!reader)
		return -ENOMEM;
	error = set_open(set);
	if (error) {
		kfree(reader);
		return error;
	}
	kref_get(&set->references);
	reader->set = set;
	file->private_data = reader;
	return nonseekable_open(inode, file);
}

static int file_release(struct inode *inode, struct file *file)
{
	struct reader *reader = file->private_data;

	set_close(reader->set);
	set_put(reader->set);
	kfree(reader);
	return 0;
}

static __poll_t file_poll(struct file *file, poll_table *table)
{
	struct reader *reader = file->private_data;

	poll_wait(file, &reader->set->wait, table);
	return set_poll(reader->set);
}

static void forbid_changes(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
#else
	vma->vm_flags |= VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP;
	vma->vm_flags &= ~VM_MAYWRITE;
#endif
}

/* Read-only and shared, the meta page and the sub-buffers: as tracefs has it. */
static int file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct reader *reader = file->private_data;
	uint64_t pages = reader->set->data_size >> PAGE_SHIFT;
	int error;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC) || !(vma->vm_flags & VM_MAYSHARE))
		return -EPERM;
	if (vma->vm_pgoff >= pages || vma_pages(vma) > pages - vma->vm_pgoff)
		return -EINVAL;
	forbid_changes(vma);
	vma_set_file(vma, reader->set->readable);
	error = call_mmap(vma->vm_file, vma);
	if (error == 0)
		WRITE_ONCE(reader->mapped, true);
	return error;
}

/* ---- requests ---------------------------------------------------------------------------- */

static long get_reader(struct file *file)
{
	struct reader *reader = file->private_data;
	struct lttngmap_set *set = reader->set;

	if (!READ_ONCE(reader->mapped))
		return -ENODEV;
	for (;;) {
		int bells = atomic_read(&set->bells);
		int result = set_get_reader(set);

		if (result != 0)
			return result < 0 ? result : 0;
		if (file->f_flags & O_NONBLOCK)
			return 0;
		if (wait_event_interruptible(set->wait, atomic_read(&set->bells) != bells))
			return -EINTR;
	}
}

static long get_packet(struct lttngmap_set *set, void __user *user)
{
	struct lttngmap_packet packet;
	uint32_t count;
	int error;

	if (copy_from_user(&packet, user, sizeof(packet)))
		return -EFAULT;
	error = set_get_packets(set, &packet, 1, &count);
	if (error)
		return error;
	return copy_to_user(user, &packet, sizeof(packet)) ? -EFAULT : 0;
}

static long get_packets(struct lttngmap_set *set, void __user *user)
{
	struct lttngmap_packets packets;
	int error;

	if (copy_from_user(&packets, user, sizeof(packets)))
		return -EFAULT;
	if (packets.count < 1 || packets.count > LTTNGMAP_PACKETS_MAX)
		return -EINVAL;
	error = set_get_packets(set, packets.packets, packets.count, &packets.count);
	if (error)
		return error;
	return copy_to_user(user, &packets, sizeof(packets)) ? -EFAULT : 0;
}

static long file_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	struct reader *reader = file->private_data;
	void __user *user = (void __user *)argument;

	switch (request) {
	case TRACE_MMAP_IOCTL_GET_READER:
		return get_reader(file);
	case LTTNGMAP_IOC_GET_PACKET:
		return get_packet(reader->set, user);
	case LTTNGMAP_IOC_GET_PACKETS:
		return get_packets(reader->set, user);
	case LTTNGMAP_IOC_CHECK_PACKET:
		return set_check_packet(reader->set);
	case LTTNGMAP_IOC_GET_SIZE:
		return put_user(reader->set->data_size, (uint64_t __user *)user);
	}
	return -ENOTTY;
}

static const struct file_operations file_operations = {
	.owner = THIS_MODULE,
	.open = file_open,
	.release = file_release,
	.poll = file_poll,
	.mmap = file_mmap,
	.unlocked_ioctl = file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* ---- showing ------------------------------------------------------------------------------ */

void file_show(struct lttngmap_set *set)
{
	const struct lttngmap_set_info *info = &set->info;
	struct folder *folder;
	struct dentry *file = NULL;
	char name[64];

	snprintf(name, sizeof(name), "%s-%u-%llu", info->procname, info->pid, info->id);
	mutex_lock(&folders_lock);
	folder = get_folder(NULL, info->session);
	if (folder)
		folder = get_folder(folder, info->channel);
	if (folder)
		file = debugfs_create_file_unsafe(name, 0400, folder->dentry, set,
						  &file_operations);
	if (IS_ERR_OR_NULL(file)) {
		put_folder(folder);
	} else {
		d_inode(file)->i_uid = set->owner;
		set->file = file;
		set->folder = folder;
		atomic_set(&set->shown, 1);
	}
	mutex_unlock(&folders_lock);
}

void file_hide(struct lttngmap_set *set)
{
	struct folder *folder;
	struct dentry *file;

	mutex_lock(&set->lock);
	folder = set->folder;
	file = set->file;
	set->folder = NULL;
	set->file = NULL;
	mutex_unlock(&set->lock);
	debugfs_remove(file);
	mutex_lock(&folders_lock);
	put_folder(folder);
	mutex_unlock(&folders_lock);
}

int file_begin(void)
{
	root = debugfs_create_dir("lttngmap", NULL);
	return PTR_ERR_OR_ZERO(root);
}

void file_end(void)
{
	struct folder *folder, *after;

	debugfs_remove(root);
	list_for_each_entry_safe(folder, after, &folders, node) kfree(folder);
}
