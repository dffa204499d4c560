// Replaces the functions that catch errors, so that no script can catch an exceeded limit of time or memory, or a stop
// by the host; and those that resume coroutines, to record which thread resumed each one.
#include <string.h>

#include "lua_internal.h"

const char lua_key_environment, lua_key_modules;

// Stack: handler, true, results or the error. The results of pcall start at index 2.
static int finish_call(lua_State *L, int status, lua_KContext unused) {
  (void)unused;
  if (status != LUA_OK && status != LUA_YIELD) {
    if (lua_is_fatal(L, -1)) return lua_error(L);
    lua_pushboolean(L, 0);
    lua_insert(L, -2);
    return 2;
  }
  return lua_gettop(L) - 1;
}

// Stack: handler, function, arguments.
static int call_protected(lua_State *L) {
  lua_pushboolean(L, 1);
  lua_insert(L, 2);
  int status = lua_pcallk(L, lua_gettop(L) - 3, LUA_MULTRET, 1, 0, finish_call);
  return finish_call(L, status, 0);
}

static int sandbox_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushcfunction(L, lua_place_handler);
  lua_insert(L, 1);
  return call_protected(L);
}

// Calls the script's handler (the upvalue) with the error, unless scripts must not see that error.
static int script_handler(lua_State *L) {
  if (lua_is_fatal(L, 1)) return 1;
  lua_settop(L, 1);
  lua_place_handler(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, -2);
  lua_call(L, 1, 1);
  return 1;
}

static int sandbox_xpcall(lua_State *L) {
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, script_handler, 1);
  lua_remove(L, 2);
  lua_insert(L, 1);
  return call_protected(L);
}

// Resumes `co` with `arguments` values from the top of the stack. Returns the number of results on top, or -1 with the
// error there. Based on auxresume in Lua's lcorolib.c.
static int resume(lua_State *L, lua_State *co, int arguments) {
  if (!lua_checkstack(co, arguments)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  shim_lua *lua = lua_bridge(L);
  lua_State *was_running = lua->running;
  lua_resumer here = {L, lua->resumers};
  lua_xmove(L, co, arguments);
  lua->resumers = &here;
  lua->running = co;
  int results = 0;
  int status = lua_resume(co, L, arguments, &results);
  bool failed = status != LUA_OK && status != LUA_YIELD;
  lua_placement place = {.skip = 0};
  if (failed) place = lua_locate_error(co);
  lua->running = was_running;
  lua->resumers = here.outer;  // before anything may raise an error, because `here` ends with this call
  if (failed) {
    lua_xmove(co, L, 1);
    lua_place_error(L, &place);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, results);
  return results;
}

static int sandbox_resume(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTHREAD);
  int results = resume(L, lua_tothread(L, 1), lua_gettop(L) - 1);
  if (results < 0 && lua_is_fatal(L, -1)) return lua_error(L);
  lua_pushboolean(L, results >= 0);
  lua_insert(L, results >= 0 ? -(results + 1) : -2);
  return results >= 0 ? results + 1 : 2;
}

// Unlike Lua's own function, this one does not change an error's message, which already begins with a position.
static int call_wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  int results = resume(L, co, lua_gettop(L));
  if (results >= 0) return results;
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(L, co, 1);  // closing continues with the error
    lua_resetthread(co);
    lua_xmove(co, L, 1);
  } else if (lua_type(L, -1) == LUA_TSTRING) {  // it could not be resumed at all
    lua_push_position(L);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int sandbox_wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, call_wrapped, 1);
  return 1;
}

// The upvalue is Lua's own coroutine.close.
static int sandbox_close(lua_State *L) {
  int count = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, count, LUA_MULTRET);
  if (lua_gettop(L) == 2 && lua_is_fatal(L, 2)) return lua_error(L);
  return lua_gettop(L);
}

// Returns whether a value stands in for the result of an invalid call: an object of the prelude's type `mistake`.
static bool is_stand_in(lua_State *L, int index) {
  int64_t handle;
  if (!lua_get_object(L, index, &handle)) return false;
  bool found = strcmp(lua_tostring(L, -1), "mistake") == 0;
  lua_pop(L, 1);
  return found;
}

// Returns whether a value is a stand-in, and pushes it if so. With `with_items`, the items of a list are also checked,
// for table.concat.
static bool push_stand_in(lua_State *L, int index, bool with_items) {
  if (with_items && lua_type(L, index) == LUA_TTABLE) {
    lua_Integer length = (lua_Integer)lua_rawlen(L, index);
    for (lua_Integer i = 1; i <= length; i++) {
      lua_rawgeti(L, index, i);
      if (is_stand_in(L, -1)) return true;
      lua_pop(L, 1);
    }
  }
  if (!is_stand_in(L, index)) return false;
  lua_pushvalue(L, index);
  return true;
}

// Calls one of Lua's own functions in the same frame, so that it finds its arguments and its name. If an argument is a
// stand-in, returns that argument instead of making the call. The upvalues are the called function's only upvalue, the
// function itself, and whether to check items.
static int call_tolerant(lua_State *L) {
  bool with_items = lua_toboolean(L, lua_upvalueindex(3));
  for (int i = 1, count = lua_gettop(L); i <= count; i++) {
    if (push_stand_in(L, i, with_items)) return 1;
  }
  return lua_tocfunction(L, lua_upvalueindex(2))(L);
}

// Implements `internal.tolerant(function, with_items)`.
static int make_tolerant(lua_State *L) {
  lua_settop(L, 2);
  if (!lua_iscfunction(L, 1) || lua_getupvalue(L, 1, 2)) {
    return luaL_error(L, "a function that cannot be called for another");
  }
  if (!lua_getupvalue(L, 1, 1)) lua_pushnil(L);
  lua_insert(L, 1);
  lua_pushcclosure(L, call_tolerant, 3);
  return 1;
}

// Implements `type` for scripts. The upvalue contains the types of the values that stand-ins represent, by handle.
static int tolerant_type(lua_State *L) {
  luaL_checkany(L, 1);
  int64_t handle;
  if (is_stand_in(L, 1) && lua_get_object(L, 1, &handle)) {
    if (lua_rawgeti(L, lua_upvalueindex(1), handle + 1) == LUA_TSTRING) return 1;
  }
  lua_pushstring(L, luaL_typename(L, 1));
  return 1;
}

static int make_type(lua_State *L) {
  lua_settop(L, 1);
  lua_pushcclosure(L, tolerant_type, 1);
  return 1;
}

static int tell_stand_in(lua_State *L) {
  lua_pushboolean(L, is_stand_in(L, 1));
  return 1;
}

static int is_fatal(lua_State *L) {
  lua_pushboolean(L, lua_is_fatal(L, 1));
  return 1;
}

static int script_name(lua_State *L) {
  lua_pushstring(L, lua_bridge(L)->script_name);
  return 1;
}

static void add_registry_table(lua_State *L, const char *key, const char *name) {
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
  lua_setfield(L, -2, name);
}

// Sets the global `internal` for Sandbox.lua, which removes it.
void lua_open_sandbox(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"pcall", sandbox_pcall},
      {"xpcall", sandbox_xpcall},
      {"resume", sandbox_resume},
      {"wrap", sandbox_wrap},
      {"is_fatal", is_fatal},
      {"script_name", script_name},
      {"tolerant", make_tolerant},
      {"make_type", make_type},
      {"is_stand_in", tell_stand_in},
      {NULL, NULL},
  };
  luaL_newlib(L, functions);
  lua_getglobal(L, LUA_COLIBNAME);
  lua_getfield(L, -1, "close");
  lua_pushcclosure(L, sandbox_close, 1);
  lua_setfield(L, -3, "close");
  lua_pop(L, 1);
  add_registry_table(L, &lua_key_environment, "environment");
  add_registry_table(L, &lua_key_modules, "modules");
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_setfield(L, -3, "string_metatable");
  lua_pop(L, 1);
  lua_setglobal(L, "internal");
}
