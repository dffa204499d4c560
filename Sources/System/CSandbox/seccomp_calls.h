// The system calls of the filter, grouped by their treatment. Each list passes all its names to a macro X. Calls that
// an architecture does not have get the number -1 in call_numbers.h, and are left out.

// clang-format off
// Computation, memory, threads, clocks, and access to open descriptors.
#define ALLOWED(X) \
  X(recvmsg) X(sendmsg) X(futex) X(poll) X(ppoll) X(read) X(write) X(sendto) X(recvfrom) \
  X(munmap) X(mprotect) X(mremap) X(madvise) X(brk) X(mincore) X(msync) X(mlock) X(munlock) \
  X(mlock2) X(membarrier) X(mbind) X(get_mempolicy) X(set_mempolicy) X(pkey_alloc) X(pkey_free) \
  X(pkey_mprotect) X(set_robust_list) X(rseq) X(set_tid_address) X(arch_prctl) X(exit) X(exit_group) \
  X(sched_yield) X(sched_getaffinity) X(sched_getparam) X(sched_getscheduler) \
  X(sched_get_priority_max) X(sched_get_priority_min) X(getcpu) X(getpriority) \
  X(clock_gettime) X(clock_getres) X(clock_nanosleep) X(nanosleep) X(gettimeofday) X(time) X(times) \
  X(getrusage) X(getrandom) X(getpid) X(gettid) X(getppid) X(getpgrp) X(getpgid) X(getsid) \
  X(getuid) X(geteuid) X(getgid) X(getegid) X(getresuid) X(getresgid) X(getgroups) X(getrlimit) X(capget) \
  X(uname) X(sysinfo) X(umask) X(getcwd) \
  X(rt_sigaction) X(rt_sigprocmask) X(rt_sigreturn) X(rt_sigpending) X(rt_sigtimedwait) \
  X(rt_sigsuspend) X(sigaltstack) X(pause) X(alarm) X(getitimer) X(setitimer) X(restart_syscall) \
  X(timer_create) X(timer_settime) X(timer_gettime) X(timer_delete) X(timer_getoverrun) \
  X(timerfd_create) X(timerfd_settime) X(timerfd_gettime) X(eventfd) X(eventfd2) X(pipe) X(pipe2) \
  X(epoll_create) X(epoll_create1) X(epoll_ctl) X(epoll_wait) X(epoll_pwait) X(epoll_pwait2) \
  X(select) X(pselect6) X(close) X(close_range) X(dup) X(dup2) X(dup3) X(lseek) \
  X(readv) X(writev) X(pread64) X(pwrite64) X(preadv) X(pwritev) X(fadvise64) X(readahead) \
  X(stat) X(lstat) X(fstat) X(newfstatat) X(statx) X(statfs) X(fstatfs) X(access) X(faccessat) \
  X(faccessat2) X(readlink) X(readlinkat) X(getdents) X(getdents64) \
  X(seccomp) X(landlock_create_ruleset) X(landlock_add_rule) X(landlock_restrict_self)

// Calls that libraries make without needing them, such as for a cache: EACCES, as in a folder that is not writable.
#define DENIED(X) \
  X(creat) X(mkdir) X(mkdirat) X(rmdir) X(unlink) X(unlinkat) X(rename) X(renameat) X(renameat2) \
  X(link) X(linkat) X(symlink) X(symlinkat) X(mknod) X(mknodat) X(chmod) X(fchmod) X(fchmodat) \
  X(chown) X(lchown) X(fchown) X(fchownat) X(truncate) X(ftruncate) X(fallocate) X(utime) X(utimes) \
  X(utimensat) X(futimesat) X(setxattr) X(lsetxattr) X(fsetxattr) X(removexattr) X(lremovexattr) \
  X(fremovexattr) X(chdir) X(fchdir) X(flock) X(inotify_init) X(inotify_init1) X(memfd_create)

// Calls that no plugin makes by accident: SIGSYS, which ends the process and reports the call.
#define FATAL(X) \
  X(fork) X(vfork) X(execve) X(execveat) X(ptrace) X(process_vm_readv) X(process_vm_writev) X(tkill) \
  X(rt_sigqueueinfo) X(pidfd_open) X(pidfd_getfd) X(pidfd_send_signal) X(connect) X(bind) X(listen) \
  X(accept) X(accept4) X(mount) X(umount2) X(pivot_root) X(chroot) X(setns) X(unshare) X(bpf) \
  X(perf_event_open) X(init_module) X(finit_module) X(delete_module) X(kexec_load) X(reboot) \
  X(swapon) X(swapoff) X(open_by_handle_at)

// Calls whose arguments are checked.
#define SPECIAL(X) \
  X(openat) X(open) X(socket) X(clone) X(kill) X(tgkill) X(rt_tgsigqueueinfo) X(prctl) X(prlimit64) \
  X(ioctl) X(fcntl) X(sched_setaffinity) X(mmap)
// clang-format on
