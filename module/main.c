// SPDX-License-Identifier: GPL-2.0
// SPDX-FileCopyrightText: 2026 The lttngmap authors
/*
 * main.c - /dev/lttngmap, and the list of all ring sets.
 *
 * Each set holds the module: it is taken by who makes the set and given back by who removes it,
 * both through the device, which holds the module, too.
 */
#include <linux/file.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "module/set.h"

static unsigned long user_bytes = 64UL << 30;
module_param(user_bytes, ulong, 0644);
MODULE_PARM_DESC(user_bytes, "bytes of ring memory that one user's processes may have");
static unsigned long all_bytes = 1UL << 40;
module_param(all_bytes, ulong, 0644);
MODULE_PARM_DESC(all_bytes, "bytes of ring memory of all users");

static DEFINE_MUTEX(sets_lock);
static LIST_HEAD(sets);
static atomic64_t last_id;

/* ---- the list --------------------------------------------------------------------------- */

static uint64_t size_of(const struct lttngmap_set *set)
{
	return i_size_read(file_inode(set->memory));
}

static bool is_beyond(const struct lttngmap_set *more)
{
	uint64_t user = size_of(more), all = user;
	struct lttngmap_set *set;

	list_for_each_entry(set, &sets, node)
	{
		all += size_of(set);
		if (set->info.uid == more->info.uid)
			user += size_of(set);
	}
	return user > READ_ONCE(user_bytes) || all > READ_ONCE(all_bytes);
}

/* From now on others find it. */
static int add(struct lttngmap_set *set)
{
	int error = 0;

	mutex_lock(&sets_lock);
	if (is_beyond(set)) {
		error = -EDQUOT;
	} else {
		__module_get(THIS_MODULE);
		list_add_tail(&set->node, &sets);
	}
	mutex_unlock(&sets_lock);
	return error;
}

/* The set of that id, or of the next higher one; a reference or NULL. */
static struct lttngmap_set *find(uint64_t id, bool next)
{
	struct lttngmap_set *set, *found = NULL;

	mutex_lock(&sets_lock);
	list_for_each_entry(set, &sets, node)
	{
		if (next ? set->info.id <= id : set->info.id != id)
			continue;
		if (!found || set->info.id < found->info.id)
			found = set;
	}
	if (found)
		kref_get(&found->references);
	mutex_unlock(&sets_lock);
	return found;
}

/* Nothing rings for it any more, and its file is gone; drops the reference. */
static void end(struct lttngmap_set *set)
{
	mutex_lock(&set->lock);
	set->removed = true;
	mutex_unlock(&set->lock);
	bell_stop(set);
	file_hide(set);
	set_update(set, false);
	set_put(set);
}

static void drop_states(void)
{
	mutex_lock(&sets_lock);
	if (list_empty(&sets))
		anchor_drop_states();
	mutex_unlock(&sets_lock);
}

static long remove(uint64_t id)
{
	struct lttngmap_set *set, *found = NULL;

	mutex_lock(&sets_lock);
	list_for_each_entry(set, &sets, node)
	{
		if (set->info.id == id) {
			found = set;
			list_del(&set->node);
			break;
		}
	}
	mutex_unlock(&sets_lock);
	if (!found)
		return -ENOENT;
	end(found);
	drop_states();
	module_put(THIS_MODULE);
	return 0;
}

/* ---- requests --------------------------------------------------------------------------- */

static long make(struct lttngmap_set_info __user *user)
{
	struct lttngmap_set_info info;
	struct lttngmap_set *set;
	int error;

	if (copy_from_user(&info, user, sizeof(info)))
		return -EFAULT;
	set = set_make(&info);
	if (IS_ERR(set))
		return PTR_ERR(set);
	set->info.id = atomic64_inc_return(&last_id);
	error = bell_start(set);
	if (error == 0 && put_user(set->info.id, &user->id))
		error = -EFAULT;
	if (error == 0)
		error = add(set);
	if (error)
		end(set);
	return error;
}

static long next(struct lttngmap_set_info __user *user)
{
	struct lttngmap_set_counts counts = { .id = 0 };
	struct lttngmap_set_info info;
	struct lttngmap_set *set;
	uint64_t id;

	if (get_user(id, &user->id))
		return -EFAULT;
	set = find(id, true);
	if (!set)
		return -ENOENT;
	set_count(set, &counts);
	info = set->info;
	set_put(set);
	info.flags |= counts.flags;
	info.memory = -1;
	info.doorbell = -1;
	return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : 0;
}

static long count(struct lttngmap_set_counts __user *user)
{
	struct lttngmap_set_counts counts;
	struct lttngmap_set *set;

	if (get_user(counts.id, &user->id))
		return -EFAULT;
	set = find(counts.id, false);
	if (!set)
		return -ENOENT;
	set_count(set, &counts);
	set_put(set);
	return copy_to_user(user, &counts, sizeof(counts)) ? -EFAULT : 0;
}

static long give_memory(struct lttngmap_set *set)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd >= 0)
		fd_install(fd, get_file(set->memory));
	return fd;
}

/* A request that has a value. */
static long change_to(struct lttngmap_set_value __user *user, unsigned int request)
{
	struct lttngmap_set_value value;
	struct lttngmap_set *set;

	if (copy_from_user(&value, user, sizeof(value)))
		return -EFAULT;
	if (request == LTTNGMAP_SET_ROTATE && value.value > U32_MAX)
		return -EINVAL;
	set = find(value.id, false);
	if (!set)
		return -ENOENT;
	if (request == LTTNGMAP_SET_ROTATE)
		set_rotate(set, value.value);
	else if (request == LTTNGMAP_SET_RESET_CLOCK)
		set_reset_clock(set, value.value);
	else
		set_describe(set, value.value);
	set_put(set);
	return 0;
}

static bool is_name(const char *name)
{
	return set_is_name(name, LTTNGMAP_SET_NAME_SIZE);
}

static long change_channel(struct lttngmap_channel_name __user *user, unsigned int request,
			   const void *owner)
{
	struct lttngmap_channel_name *name = memdup_user(user, sizeof(*name));
	long result = -EINVAL;

	if (IS_ERR(name))
		return PTR_ERR(name);
	if (is_name(name->session) && is_name(name->channel))
		result = request == LTTNGMAP_CHANNEL_ADD ? file_add_channel(name, owner)
							 : file_remove_channel(name, owner);
	kfree(name);
	return result;
}

static long add_state(const int32_t __user *user, const void *owner)
{
	int32_t fd;

	return get_user(fd, user) ? -EFAULT : anchor_add_state(fd, owner);
}

static long change(struct lttngmap_set *set, unsigned int request)
{
	switch (request) {
	case LTTNGMAP_SET_MEMORY:
		return give_memory(set);
	case LTTNGMAP_SET_FREEZE:
		set_freeze(set, true);
		return 0;
	case LTTNGMAP_SET_THAW:
		set_freeze(set, false);
		return 0;
	case LTTNGMAP_SET_FINISH:
		set_finish(set);
		return 0;
	case LTTNGMAP_SET_FLUSH:
		set_flush(set);
		return 0;
	case LTTNGMAP_SET_SHOW:
		set_update(set, true);
		return 0;
	case LTTNGMAP_SET_END_ROTATION:
		set_end_rotation(set);
		return 0;
	case LTTNGMAP_SET_CLEAR:
		set_clear(set);
		return 0;
	}
	return -ENOTTY;
}

static long device_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	void __user *user = (void __user *)argument;
	struct lttngmap_set *set;
	uint64_t id;
	long result;

	switch (request) {
	case LTTNGMAP_SET_MAKE:
		return make(user);
	case LTTNGMAP_SET_NEXT:
		return next(user);
	case LTTNGMAP_SET_COUNT:
		return count(user);
	case LTTNGMAP_SET_ROTATE:
	case LTTNGMAP_SET_DESCRIBE:
	case LTTNGMAP_SET_RESET_CLOCK:
		return change_to(user, request);
	case LTTNGMAP_CHANNEL_ADD:
	case LTTNGMAP_CHANNEL_REMOVE:
		return change_channel(user, request, file);
	case LTTNGMAP_STATE_ADD:
		return add_state(user, file);
	case LTTNGMAP_SET_END_ROTATION:
	case LTTNGMAP_SET_CLEAR:
	case LTTNGMAP_SET_MEMORY:
	case LTTNGMAP_SET_FREEZE:
	case LTTNGMAP_SET_THAW:
	case LTTNGMAP_SET_FINISH:
	case LTTNGMAP_SET_FLUSH:
	case LTTNGMAP_SET_SHOW:
	case LTTNGMAP_SET_REMOVE:
		break;
	default:
		return -ENOTTY;
	}
	if (get_user(id, (uint64_t __user *)user))
		return -EFAULT;
	if (request == LTTNGMAP_SET_REMOVE)
		return remove(id);
	set = find(id, false);
	if (!set)
		return -ENOENT;
	result = change(set, request);
	set_put(set);
	return result;
}

static int device_release(struct inode *inode, struct file *file)
{
	file_leave_channels(file);
	anchor_leave_states(file);
	drop_states();
	return 0;
}

static const struct file_operations device_operations = {
	.owner = THIS_MODULE,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "lttngmap",
	.fops = &device_operations,
	.mode = 0600,
};

/* ---- begin and end ------------------------------------------------------------------------ */

static int __init lttngmap_init(void)
{
	int error = memory_begin();

	if (error)
		return error;
	error = bell_begin();
	if (error)
		goto end_memory;
	error = file_begin();
	if (error)
		goto end_bell;
	anchor_begin(&sets);
	error = misc_register(&device);
	if (error)
		goto end_file;
	return 0;

end_file:
	file_end();
end_bell:
	bell_end();
end_memory:
	memory_end();
	return error;
}

/* There is no set, nor an open file. */
static void __exit lttngmap_exit(void)
{
	misc_deregister(&device);
	anchor_end();
	file_end();
	bell_end();
	memory_end();
}

module_init(lttngmap_init);
module_exit(lttngmap_exit);
MODULE_AUTHOR("The lttngmap authors");
MODULE_DESCRIPTION("Rings of traced programs, read in the kernel");
MODULE_LICENSE("GPL");
