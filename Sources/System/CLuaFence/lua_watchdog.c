// A thread that detects when Lua does not return: a pattern that backtracks forever never returns to the interpreter,
// where the count hook would end it.
#include <errno.h>
#include <time.h>

#include "lua_internal.h"

static void wait_until(shim_lua *lua, int64_t when) {
  int64_t left = when - lua_now();
  if (left < 1000000) left = 1000000;
#ifdef __APPLE__
  struct timespec span = {left / 1000000000, left % 1000000000};
  pthread_cond_timedwait_relative_np(&lua->watch_changed, &lua->watch_lock, &span);
#else
  int64_t end = lua_now() + left;
  struct timespec time = {end / 1000000000, end % 1000000000};
  pthread_cond_timedwait(&lua->watch_changed, &lua->watch_lock, &time);
#endif
}

// Sleeps until the earliest possible overrun, and reports an overrun to the host. The earliest possible one is at
// `overrun_at`, or, while the host runs, at the time when Lua would use up the rest of its limit and the grace if it
// continued now. It can only become later, so entering and leaving Lua never has to wake the thread.
static void *watch(void *context) {
  shim_lua *lua = context;
  pthread_mutex_lock(&lua->watch_lock);
  while (!lua->closing) {
    int64_t now = lua_now();
    int64_t overrun_at = atomic_load(&lua->overrun_at);
    if (overrun_at != 0 && now >= overrun_at) break;
    if (overrun_at == 0) {
      int64_t left = lua->limit - atomic_load(&lua->spent_shown);
      overrun_at = now + (left > 0 ? left : 0) + lua->grace;
    }
    wait_until(lua, overrun_at);
  }
  bool overrun = !lua->closing;
  pthread_mutex_unlock(&lua->watch_lock);
  if (overrun) lua->host.overran(lua->host.watchdog_context);
  return NULL;
}

// If no thread can be started, the script runs without a watchdog. The hook still ends most endless scripts.
void lua_watch(shim_lua *lua) {
  if (lua->watched) return;
  pthread_mutex_init(&lua->watch_lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
#ifndef __APPLE__
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
  pthread_cond_init(&lua->watch_changed, &attributes);
  pthread_condattr_destroy(&attributes);
  lua->watched = pthread_create(&lua->watchdog, NULL, watch, lua) == 0;
}

void lua_unwatch(shim_lua *lua) {
  if (!lua->watched) return;
  pthread_mutex_lock(&lua->watch_lock);
  lua->closing = true;
  pthread_cond_signal(&lua->watch_changed);
  pthread_mutex_unlock(&lua->watch_lock);
  pthread_join(lua->watchdog, NULL);
  pthread_cond_destroy(&lua->watch_changed);
  pthread_mutex_destroy(&lua->watch_lock);
  lua->watched = false;
}
