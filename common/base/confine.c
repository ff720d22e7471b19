/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/confine.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All that this kernel has; who may not drop them there will execute nothing that has any. */
static void limit_bounding_set(uint64_t kept)
{
	for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
		if (capability >= 64 || !(kept >> capability & 1))
			(void)prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

static int limit_capabilities(uint64_t kept)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data) != 0)
		return -errno;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t part = (uint32_t)(kept >> 32 * i);

		data[i].permitted &= part;
		data[i].effective &= part;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) != 0 ? -errno : 0;
}

int confine_privileges(const int *kept, size_t nr_kept)
{
	uint64_t set = 0;

	for (size_t i = 0; i < nr_kept; i++)
		set |= UINT64_C(1) << kept[i];
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -errno;
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	limit_bounding_set(set);
	return limit_capabilities(set);
}
