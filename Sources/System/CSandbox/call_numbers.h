// Defines the numbers of old system calls as -1 on newer architectures, which have none of them.
#pragma once

#include <sys/syscall.h>

struct call {
  const char *name;
  long number;
};

#ifndef SYS_arch_prctl
#define SYS_arch_prctl -1
#endif
#ifndef SYS_open
#define SYS_poll -1
#define SYS_time -1
#define SYS_getpgrp -1
#define SYS_pause -1
#define SYS_alarm -1
#define SYS_eventfd -1
#define SYS_pipe -1
#define SYS_epoll_create -1
#define SYS_epoll_wait -1
#define SYS_select -1
#define SYS_dup2 -1
#define SYS_access -1
#define SYS_readlink -1
#define SYS_getdents -1
#define SYS_creat -1
#define SYS_mkdir -1
#define SYS_rmdir -1
#define SYS_unlink -1
#define SYS_rename -1
#define SYS_link -1
#define SYS_symlink -1
#define SYS_mknod -1
#define SYS_chmod -1
#define SYS_chown -1
#define SYS_lchown -1
#define SYS_utime -1
#define SYS_utimes -1
#define SYS_futimesat -1
#define SYS_inotify_init -1
#define SYS_fork -1
#define SYS_vfork -1
#define SYS_open -1
#endif
