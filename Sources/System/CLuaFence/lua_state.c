// Opens and closes a state, and manages its memory.
#include <stdlib.h>

#include "lua_internal.h"

// The amount in bytes by which Lua may exceed the limit while the host runs, so that reporting an error does not fail,
// too.
enum { headroom = 256 << 10 };

bool lua_has_room(const shim_lua *lua, size_t bytes) {
  size_t limit = lua->memory_bytes + headroom;
  return lua->bytes_in_use <= limit && bytes <= limit - lua->bytes_in_use;
}

static void *allocate(void *context, void *block, size_t old_size, size_t new_size) {
  shim_lua *lua = context;
  if (!block) old_size = 0;  // for a new block, Lua passes the object's type instead of a size
  if (new_size == 0) {
    free(block);
    lua->bytes_in_use -= old_size;
    return NULL;
  }
  if (new_size > old_size) {
    size_t limit = lua->memory_bytes + (lua->in_lua ? 0 : headroom);
    size_t more = new_size - old_size;
    if (lua->bytes_in_use > limit || more > limit - lua->bytes_in_use) {
      // Lua collects garbage and tries again. If that fails, too, no handler runs before the stack is unwound, so the
      // line is stored here.
      if (lua->running) lua_note_memory_line(lua);
      return NULL;
    }
  }
  void *result = realloc(block, new_size);
  if (result) lua->bytes_in_use += new_size - old_size;
  return result;
}

static int open_libraries(lua_State *L) {
  static const luaL_Reg libraries[] = {
      {LUA_GNAME, luaopen_base},
      {LUA_STRLIBNAME, luaopen_string},
      {LUA_TABLIBNAME, luaopen_table},
      {LUA_MATHLIBNAME, luaopen_math},
      {LUA_UTF8LIBNAME, luaopen_utf8},
      {LUA_COLIBNAME, luaopen_coroutine},
      {LUA_OSLIBNAME, luaopen_os},
  };
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
    lua_pop(L, 1);
  }
  lua_open_objects(L);
  lua_open_calls(L);
  lua_open_sandbox(L);
  return 0;
}

shim_lua *shim_lua_open(shim_lua_limits limits, shim_lua_host host) {
  shim_lua *lua = calloc(1, sizeof *lua);
  if (!lua) return NULL;
  lua->host = host;
  lua->memory_bytes = SIZE_MAX / 2;
  lua->limits = limits;
  lua_State *L = lua_newstate(allocate, lua);
  if (!L) {
    free(lua);
    return NULL;
  }
  lua->main = L;
  *(shim_lua **)lua_getextraspace(L) = lua;
  lua_pushcfunction(L, open_libraries);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
    shim_lua_close(lua);
    return NULL;
  }
  lua->running = L;
  return lua;
}

// The memory of libraries and preludes does not count as the script's, except for parts of a prelude that are loaded on
// demand.
void lua_start_limits(shim_lua *lua) {
  if (lua->limited) return;
  lua->limited = true;
  lua->limit = lua->limits.time_nanoseconds;
  lua->grace = lua->limits.grace_nanoseconds;
  size_t most = SIZE_MAX / 2 - lua->bytes_in_use;
  size_t bytes = lua->limits.memory_bytes;
  lua->memory_bytes = lua->bytes_in_use + (bytes < most ? bytes : most);
  // New coroutines inherit the hook of their creator (lua_newthread in Lua's lstate.c).
  lua_sethook(lua->main, lua_count_hook, LUA_MASKCOUNT, 1000);
  lua_watch(lua);
}

size_t shim_lua_close(shim_lua *lua) {
  lua_unwatch(lua);
  lua->running = NULL;
  lua_close(lua->main);
  size_t left = lua->bytes_in_use - lua->held;
  free(lua->out.bytes);
  free(lua->in.bytes);
  free(lua->message.bytes);
  free(lua->nil_variables.bytes);
  free(lua->dump.bytes);
  free(lua->moved.bytes);
  free(lua);
  return left;
}

void shim_lua_collect(shim_lua *lua) { lua_gc(lua->main, LUA_GCCOLLECT); }

size_t shim_lua_bytes(const shim_lua *lua) { return lua->bytes_in_use; }
