/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * count-calls.h - the functions that libcount-calls.so counts: those of the
 * preloaded families but libc.
 */
#ifndef COUNT_CALLS_H
#define COUNT_CALLS_H

#define COUNT_CALLS_PTHREAD(X)                                                                     \
	X(pthread_mutex_lock)                                                                      \
	X(pthread_mutex_trylock)                                                                   \
	X(pthread_mutex_timedlock)                                                                 \
	X(pthread_mutex_clocklock)                                                                 \
	X(pthread_mutex_unlock)                                                                    \
	X(pthread_cond_wait)                                                                       \
	X(pthread_cond_timedwait)                                                                  \
	X(pthread_cond_clockwait)                                                                  \
	X(pthread_cond_signal)                                                                     \
	X(pthread_cond_broadcast)                                                                  \
	X(pthread_rwlock_rdlock)                                                                   \
	X(pthread_rwlock_tryrdlock)                                                                \
	X(pthread_rwlock_timedrdlock)                                                              \
	X(pthread_rwlock_clockrdlock)                                                              \
	X(pthread_rwlock_wrlock)                                                                   \
	X(pthread_rwlock_trywrlock)                                                                \
	X(pthread_rwlock_timedwrlock)                                                              \
	X(pthread_rwlock_clockwrlock)                                                              \
	X(pthread_rwlock_unlock)                                                                   \
	X(pthread_create)                                                                          \
	X(pthread_join)                                                                            \
	X(pthread_tryjoin_np)                                                                      \
	X(pthread_timedjoin_np)                                                                    \
	X(pthread_clockjoin_np)                                                                    \
	X(pthread_detach)

#define COUNT_CALLS_CYG_PROFILE(X) X(__cyg_profile_func_enter) X(__cyg_profile_func_exit)

#define COUNT_CALLS_DL(X) X(dlopen) X(dlmopen) X(dlclose)

#define COUNT_CALLS_IO(X)                                                                          \
	X(open)                                                                                    \
	X(open64)                                                                                  \
	X(__open_2)                                                                                \
	X(__open64_2)                                                                              \
	X(openat)                                                                                  \
	X(openat64)                                                                                \
	X(__openat_2)                                                                              \
	X(__openat64_2)                                                                            \
	X(creat)                                                                                   \
	X(creat64)                                                                                 \
	X(close)                                                                                   \
	X(read)                                                                                    \
	X(__read_chk)                                                                              \
	X(pread)                                                                                   \
	X(pread64)                                                                                 \
	X(__pread_chk)                                                                             \
	X(__pread64_chk)                                                                           \
	X(readv)                                                                                   \
	X(write)                                                                                   \
	X(pwrite)                                                                                  \
	X(pwrite64)                                                                                \
	X(writev)                                                                                  \
	X(socket)                                                                                  \
	X(connect)                                                                                 \
	X(accept)                                                                                  \
	X(accept4)                                                                                 \
	X(send)                                                                                    \
	X(sendto)                                                                                  \
	X(sendmsg)                                                                                 \
	X(recv)                                                                                    \
	X(__recv_chk)                                                                              \
	X(recvfrom)                                                                                \
	X(__recvfrom_chk)                                                                          \
	X(recvmsg)                                                                                 \
	X(poll)                                                                                    \
	X(__poll_chk)                                                                              \
	X(ppoll)                                                                                   \
	X(__ppoll_chk)                                                                             \
	X(select)                                                                                  \
	X(epoll_create)                                                                            \
	X(epoll_create1)                                                                           \
	X(epoll_ctl)                                                                               \
	X(epoll_wait)                                                                              \
	X(epoll_pwait)                                                                             \
	X(fopen)                                                                                   \
	X(fopen64)                                                                                 \
	X(freopen)                                                                                 \
	X(freopen64)                                                                               \
	X(fdopen)                                                                                  \
	X(tmpfile)                                                                                 \
	X(tmpfile64)                                                                               \
	X(fclose)                                                                                  \
	X(opendir)                                                                                 \
	X(fdopendir)                                                                               \
	X(closedir)                                                                                \
	X(stat)                                                                                    \
	X(stat64)                                                                                  \
	X(lstat)                                                                                   \
	X(lstat64)                                                                                 \
	X(fstat)                                                                                   \
	X(fstat64)                                                                                 \
	X(fstatat)                                                                                 \
	X(fstatat64)                                                                               \
	X(statx)                                                                                   \
	X(access)                                                                                  \
	X(faccessat)                                                                               \
	X(unlink)                                                                                  \
	X(unlinkat)                                                                                \
	X(remove)                                                                                  \
	X(rename)                                                                                  \
	X(renameat)                                                                                \
	X(renameat2)                                                                               \
	X(mkdir)                                                                                   \
	X(mkdirat)                                                                                 \
	X(rmdir)                                                                                   \
	X(scandir)                                                                                 \
	X(scandir64)                                                                               \
	X(dup)                                                                                     \
	X(dup2)                                                                                    \
	X(dup3)                                                                                    \
	X(fcntl)                                                                                   \
	X(fcntl64)                                                                                 \
	X(pipe)                                                                                    \
	X(pipe2)                                                                                   \
	X(socketpair)                                                                              \
	X(eventfd)                                                                                 \
	X(dprintf)                                                                                 \
	X(vdprintf)                                                                                \
	X(__dprintf_chk)                                                                           \
	X(__vdprintf_chk)                                                                          \
	X(close_range)

#define COUNT_CALLS_PROC(X)                                                                        \
	X(fork)                                                                                    \
	X(_Fork)                                                                                   \
	X(forkpty)                                                                                 \
	X(clone)                                                                                   \
	X(daemon)                                                                                  \
	X(vfork)                                                                                   \
	X(wait)                                                                                    \
	X(waitpid)                                                                                 \
	X(wait3)                                                                                   \
	X(wait4)                                                                                   \
	X(waitid)                                                                                  \
	X(exit)                                                                                    \
	X(_exit)                                                                                   \
	X(_Exit)                                                                                   \
	X(quick_exit)                                                                              \
	X(abort)                                                                                   \
	X(__assert_fail)                                                                           \
	X(execl)                                                                                   \
	X(execle)                                                                                  \
	X(execlp)                                                                                  \
	X(execv)                                                                                   \
	X(execve)                                                                                  \
	X(execvp)                                                                                  \
	X(execvpe)                                                                                 \
	X(fexecve)                                                                                 \
	X(execveat)                                                                                \
	X(posix_spawn)                                                                             \
	X(posix_spawnp)                                                                            \
	X(system)                                                                                  \
	X(popen)                                                                                   \
	X(pclose)                                                                                  \
	X(kill)                                                                                    \
	X(killpg)                                                                                  \
	X(raise)                                                                                   \
	X(tgkill)                                                                                  \
	X(sigqueue)                                                                                \
	X(pthread_kill)                                                                            \
	X(pthread_sigqueue)                                                                        \
	X(sigaction)                                                                               \
	X(signal)                                                                                  \
	X(__sysv_signal)                                                                           \
	X(sigprocmask)                                                                             \
	X(pthread_sigmask)                                                                         \
	X(sigwait)                                                                                 \
	X(sigwaitinfo)                                                                             \
	X(sigtimedwait)                                                                            \
	X(sigsuspend)                                                                              \
	X(pause)

#define COUNT_CALLS_FUNCTIONS(X)                                                                   \
	COUNT_CALLS_PTHREAD(X)                                                                     \
	COUNT_CALLS_CYG_PROFILE(X)                                                                 \
	COUNT_CALLS_DL(X)                                                                          \
	COUNT_CALLS_IO(X)                                                                          \
	COUNT_CALLS_PROC(X)

#endif /* COUNT_CALLS_H */
