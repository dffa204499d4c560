// Measures the time that a script spends in Lua, and contains the hook that ends a script whose time is up.
#include <time.h>

#include "lua_internal.h"

int64_t lua_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void lua_enter(shim_lua *lua) {
  lua->in_lua = true;
  lua->entered = lua_now();
  int64_t left = lua->limit > lua->spent ? lua->limit - lua->spent : 0;
  atomic_store(&lua->overrun_at, lua->entered + left + lua->grace);
}

void lua_leave(shim_lua *lua) {
  if (!lua->in_lua) return;
  lua->in_lua = false;
  lua->spent += lua_now() - lua->entered;
  atomic_store(&lua->spent_shown, lua->spent);
  atomic_store(&lua->overrun_at, 0);
}

// Returns the time since `span` began, except for time that was counted as the script's or as idle.
static int64_t own_time(const shim_lua *lua, shim_lua_span span) {
  return lua_now() - span.began - (lua->spent - span.spent) - (lua->idle - span.idle);
}

shim_lua_span shim_lua_begin(const shim_lua *lua) { return (shim_lua_span){lua_now(), lua->spent, lua->idle}; }

void lua_end_host(shim_lua *lua, shim_lua_span span) {
  lua->spent += own_time(lua, span);
  atomic_store(&lua->spent_shown, lua->spent);
}

void shim_lua_end_idle(shim_lua *lua, shim_lua_span span) { lua->idle += own_time(lua, span); }

int64_t shim_lua_nanoseconds(const shim_lua *lua) { return lua->spent + (lua->in_lua ? lua_now() - lua->entered : 0); }

int64_t shim_lua_thread_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void shim_lua_spend(shim_lua *lua, int64_t nanoseconds) {
  lua->spent += nanoseconds;
  lua->idle -= nanoseconds;
  atomic_store(&lua->spent_shown, lua->spent);
}

void shim_lua_stop(shim_lua *lua) { atomic_store(&lua->stopped, true); }

// Ends a script whose time is up. Each run of the hook raises the error, so even a script that caught the error could
// only execute another thousand instructions.
void lua_count_hook(lua_State *L, lua_Debug *event) {
  (void)event;
  shim_lua *lua = lua_bridge(L);
  if (!lua->in_lua || (shim_lua_nanoseconds(lua) < lua->limit && !atomic_load(&lua->stopped))) return;
  lua->time_line = lua_find_line(lua);
  lua_pushlightuserdata(L, &lua->out_of_time);
  lua_error(L);
}
