// Calls in both directions. All calls into Lua go through one lua_pcall, in `perform`, and all calls out of Lua through
// one trampoline.
#include <stdio.h>
#include <string.h>

#include "lua_internal.h"

const char lua_key_host;

typedef struct {
  const uint8_t *source;
  size_t length;
  const char *chunk_name;
  const uint8_t *arguments;
  size_t count;
  int64_t function;
  const char *name;
} request;

// Runs `body` with `request` as its only argument. Before and after the call, time is not counted as the script's.
static int32_t perform(shim_lua *lua, lua_CFunction body, request *request) {
  lua_State *L = lua->running;
  lua->error_line.line = 0;
  lua->message.length = 0;
  lua->syntax_error = false;
  lua->memory_line.line = 0;
  if (!lua_checkstack(L, 4)) return SHIM_LUA_OUT_OF_MEMORY;
  int base = lua_gettop(L);
  lua_pushcfunction(L, lua_report_error);
  lua_pushcfunction(L, body);
  lua_pushlightuserdata(L, request);
  int status = lua_pcall(L, 1, 0, base + 1);
  lua_leave(lua);
  const void *error = status == LUA_OK ? NULL : lua_touserdata(L, -1);
  lua_settop(L, base);
  if (status == LUA_OK) return SHIM_LUA_OK;
  if (status == LUA_ERRMEM) {
    lua->error_line = lua->memory_line;
    return SHIM_LUA_OUT_OF_MEMORY;
  }
  if (error == &lua->out_of_time) {
    lua->error_line = lua->time_line;
    return SHIM_LUA_OUT_OF_TIME;
  }
  if (error == &lua->aborted) return SHIM_LUA_ABORTED;
  bool syntax_error = lua->syntax_error;
  lua->syntax_error = false;
  return syntax_error ? SHIM_LUA_SYNTAX_ERROR : SHIM_LUA_ERROR;
}

static void load_chunk(lua_State *L, const request *r) {
  if (luaL_loadbufferx(L, (const char *)r->source, r->length, r->chunk_name, "t") == LUA_OK) {
    if (r->chunk_name[0] == '@') lua_move_lines(L, r->chunk_name);
    return;
  }
  if (!lua_is_fatal(L, -1)) lua_note_syntax_error(L, r->chunk_name);
  lua_error(L);
}

static int prelude_body(lua_State *L) {
  load_chunk(L, lua_touserdata(L, 1));
  lua_call(L, 0, 0);
  return 0;
}

// Skips a byte order mark and a first line that starts with '#', as luaL_loadfile does. The line's end is kept, so that
// line numbers stay correct.
static void skip_opening(request *r) {
  if (r->length >= 3 && memcmp(r->source, "\xEF\xBB\xBF", 3) == 0) {
    r->source += 3;
    r->length -= 3;
  }
  if (r->length == 0 || r->source[0] != '#') return;
  const uint8_t *end = memchr(r->source, '\n', r->length);
  r->length = end ? r->length - (size_t)(end - r->source) : 0;
  if (end) r->source = end;
}

static int script_body(lua_State *L) {
  request *r = lua_touserdata(L, 1);
  skip_opening(r);
  load_chunk(L, r);
  int chunk = lua_gettop(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lua_key_environment);
  luaL_checkstack(L, (int)r->count + 8, "too many arguments");
  lua_createtable(L, (int)r->count, 1);
  lua_pushstring(L, r->name);
  lua_rawseti(L, -2, 0);
  int values = lua_gettop(L) + 1;
  lua_push_values(L, r->arguments, r->count);
  for (int i = 0; i < (int)r->count; i++) {
    lua_pushvalue(L, values + i);
    lua_rawseti(L, values - 1, i + 1);
  }
  lua_pushvalue(L, values - 1);
  lua_setfield(L, chunk + 1, "arg");
  lua_pushvalue(L, chunk + 1);
  lua_setupvalue(L, chunk, 1);
  lua_remove(L, values - 1);
  lua_remove(L, chunk + 1);
  lua_enter(lua_bridge(L));
  lua_call(L, (int)r->count, 0);
  return 0;
}

static int call_body(lua_State *L) {
  const request *r = lua_touserdata(L, 1);
  shim_lua *lua = lua_bridge(L);
  lua_push_function(L, r->function);
  luaL_checkstack(L, (int)r->count + 8, "too many arguments");
  lua_push_values(L, r->arguments, r->count);
  lua_enter(lua);
  lua_call(L, (int)r->count, LUA_MULTRET);
  lua_leave(lua);
  lua->out.length = 0;
  lua->out.count = (size_t)(lua_gettop(L) - 1);
  lua->items = 0;
  for (int i = 2; i <= lua_gettop(L); i++) lua_write_value(L, &lua->out, i);
  return 0;
}

static int module_body(lua_State *L) {
  const request *r = lua_touserdata(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lua_key_modules);
  if (lua_getglobal(L, r->chunk_name) == LUA_TNIL) luaL_error(L, "no such global");
  lua_setfield(L, -2, r->name);
  return 0;
}

// Calls the host, and counts its time after the call. So neither this function nor the host may raise a Lua error: the
// error would skip the counting, and a script could catch it and continue with uncounted time.
static int32_t call_host(lua_State *L, int32_t function, size_t count) {
  shim_lua *lua = lua_bridge(L);
  lua_State *was_running = lua->running;
  bool counted = lua->in_lua;
  lua_leave(lua);
  shim_lua_span span = shim_lua_begin(lua);
  lua->running = L;
  lua->in.length = 0;
  int32_t code = lua->host.called(lua->host.context, function, lua->out.bytes, lua->out.length, count);
  lua->running = was_running;
  if (counted) {
    lua_end_host(lua, span);
    lua_enter(lua);
    // The usual hook runs after every 1,000 instructions. In between, a script could make a thousand calls of a second
    // each, so the hook is set to run at the next instruction.
    if (lua->spent >= lua->limit) lua_sethook(L, lua_count_hook, LUA_MASKCOUNT, 1);
  }
  return code;
}

// Counts the memory that the host keeps for the script as Lua's memory. If there is no room for it, an allocation of
// that size makes Lua collect garbage or raise the error.
static void take_claim(lua_State *L) {
  shim_lua *lua = lua_bridge(L);
  size_t claimed = lua->claimed;
  lua->claimed = 0;
  if (claimed == 0 || !lua->limited) return;
  if (!lua_has_room(lua, claimed)) {
    (void)lua_newuserdatauv(L, claimed, 0);
    lua_pop(L, 1);
  }
  lua->bytes_in_use += claimed;
  lua->held += claimed;
}

// The implementation of every function in `host`; upvalue 1 is the function's number.
static int trampoline(lua_State *L) {
  shim_lua *lua = lua_bridge(L);
  int32_t function = (int32_t)lua_tointeger(L, lua_upvalueindex(1));
  int count = lua_gettop(L);
  lua->out.length = lua->items = lua->long_bytes = 0;
  for (int i = 1; i <= count; i++) lua_write_value(L, &lua->out, i);
  int32_t code = call_host(L, function, (size_t)count);
  lua_settop(L, 0);
  lua_buffer_trim(&lua->out);
  if (code == SHIM_LUA_OUT_OF_TIME) lua->time_line = lua_find_line(lua);
  if (code == SHIM_LUA_OUT_OF_MEMORY) lua_note_memory_line(lua);
  if (code == SHIM_LUA_OK || code == SHIM_LUA_ERROR) take_claim(L);
  if (code == SHIM_LUA_OK) {
    luaL_checkstack(L, (int)lua->in.count + 8, "too many results");
    lua_push_values(L, lua->in.bytes, lua->in.count);
    lua_buffer_trim(&lua->in);
  } else if (code == SHIM_LUA_OUT_OF_TIME) {
    lua_pushlightuserdata(L, &lua->out_of_time);
  } else if (code == SHIM_LUA_ABORTED) {
    lua_pushlightuserdata(L, &lua->aborted);
  } else if (code == SHIM_LUA_OUT_OF_MEMORY) {
    lua_pushliteral(L, "not enough memory");
  } else {
    lua_push_position(L);
    lua_pushlstring(L, (const char *)lua->in.bytes, lua->in.length);
    lua_concat(L, 2);
  }
  return code == SHIM_LUA_OK ? lua_gettop(L) : lua_error(L);
}

static int register_body(lua_State *L) {
  const request *r = lua_touserdata(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lua_key_host);
  lua_pushinteger(L, r->function);
  lua_pushcclosure(L, trampoline, 1);
  lua_setfield(L, -2, r->name);
  return 0;
}

static int finish_call(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  return lua_gettop(L);
}

static int call_framed(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, finish_call);
  return lua_gettop(L);
}

// Implements `host.framed(function)`: returns a C function that calls `function`. A tail call of a C function, unlike
// that of a Lua function, keeps the caller's frame, and thus the line of the script.
static int make_framed(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcclosure(L, call_framed, 1);
  return 1;
}

void lua_open_calls(lua_State *L) {
  lua_newtable(L);
  lua_pushcfunction(L, make_framed);
  lua_setfield(L, -2, "framed");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lua_key_host);
  lua_setglobal(L, "host");
}

int32_t shim_lua_register(shim_lua *lua, const char *name, int32_t function) {
  return perform(lua, register_body, &(request){.function = function, .name = name});
}

int32_t shim_lua_prelude(shim_lua *lua, const uint8_t *source, size_t length, const char *name) {
  char chunk_name[64];
  snprintf(chunk_name, sizeof chunk_name, "=%s", name);
  request request = {.source = source, .length = length, .chunk_name = chunk_name};
  return perform(lua, prelude_body, &request);
}

int32_t shim_lua_script(
    shim_lua *lua, const uint8_t *source, size_t length, const char *name, const uint8_t *arguments, size_t count) {
  char chunk_name[sizeof lua->script_name + 1];
  snprintf(lua->script_name, sizeof lua->script_name, "%s", name);
  snprintf(chunk_name, sizeof chunk_name, "@%s", lua->script_name);
  lua_start_limits(lua);
  request request = {.source = source,
      .length = length,
      .chunk_name = chunk_name,
      .name = lua->script_name,
      .arguments = arguments,
      .count = count};
  return perform(lua, script_body, &request);
}

int32_t shim_lua_call(shim_lua *lua, int64_t function, const uint8_t *arguments, size_t count) {
  request request = {.function = function, .arguments = arguments, .count = count};
  return perform(lua, call_body, &request);
}

int32_t shim_lua_module(shim_lua *lua, const char *name, const char *global) {
  return perform(lua, module_body, &(request){.name = name, .chunk_name = global});
}

const uint8_t *shim_lua_results(const shim_lua *lua, size_t *length, size_t *count) {
  *length = lua->out.length;
  *count = lua->out.count;
  return lua->out.bytes;
}

bool shim_lua_answer(shim_lua *lua, const uint8_t *bytes, size_t length, size_t count) {
  lua->in.length = 0;
  lua->in.count = count;
  return lua_has_room(lua, 2 * length) && lua_buffer_append(&lua->in, bytes, length);
}

void shim_lua_claim(shim_lua *lua, size_t bytes) { lua->claimed += bytes; }

size_t shim_lua_long_bytes(const shim_lua *lua) { return lua->long_bytes; }

int32_t shim_lua_check(const shim_lua *lua, int64_t nanoseconds, size_t bytes) {
  if (!lua->limited) return SHIM_LUA_OK;
  if (atomic_load(&lua->stopped) || shim_lua_nanoseconds(lua) + nanoseconds >= lua->limit) return SHIM_LUA_OUT_OF_TIME;
  return lua_has_room(lua, lua->claimed + bytes) ? SHIM_LUA_OK : SHIM_LUA_OUT_OF_MEMORY;
}
