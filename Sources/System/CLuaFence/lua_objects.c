// Host objects, and functions that the host keeps.
#include "lua_internal.h"

const char lua_key_types, lua_key_objects, lua_key_functions, lua_key_references;

// A host object as a full userdata. The mark distinguishes it from userdata of other kinds. Scripts cannot create
// userdata, nor can any library that they may use.
typedef struct {
  const void *mark;
  int64_t handle;
} object;

// Creates `types[name]`, the metatable of a type's objects, on its first use.
static int make_type(lua_State *L) {
  luaL_checktype(L, 2, LUA_TSTRING);
  lua_createtable(L, 0, 8);
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, "__name");
  lua_pushvalue(L, 2);  // the result of getmetatable() in the script
  lua_setfield(L, -2, "__metatable");
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -2);
  lua_rawset(L, 1);
  return 1;
}

static void new_registry_table(lua_State *L, const char *key) {
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void lua_open_objects(lua_State *L) {
  new_registry_table(L, &lua_key_objects);
  new_registry_table(L, &lua_key_functions);
  new_registry_table(L, &lua_key_references);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, make_type);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lua_key_types);
  lua_setglobal(L, "types");
}

// Pushes the weak table of a type's objects by handle. Expects the type's name on top of the stack, and keeps the name.
static void push_cache(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lua_key_objects);
  lua_pushvalue(L, -2);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -3);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  lua_remove(L, -2);
}

void lua_push_object(lua_State *L, int64_t handle, const char *type, size_t length) {
  luaL_checkstack(L, 8, "too many values");
  lua_pushlstring(L, type, length);
  push_cache(L);
  if (lua_rawgeti(L, -1, handle) == LUA_TNIL) {
    lua_pop(L, 1);
    object *made = lua_newuserdatauv(L, sizeof(object), 1);
    *made = (object){&lua_key_objects, handle};
    lua_pushvalue(L, -3);
    lua_setiuservalue(L, -2, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &lua_key_types);
    lua_pushvalue(L, -4);
    lua_gettable(L, -2);
    lua_setmetatable(L, -3);
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, handle);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

bool lua_get_object(lua_State *L, int index, int64_t *handle) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_rawlen(L, index) != sizeof(object)) return false;
  const object *found = lua_touserdata(L, index);
  if (found->mark != &lua_key_objects) return false;
  *handle = found->handle;
  lua_getiuservalue(L, index, 1);
  return true;
}

// Keeps a function until the state closes. The same function always gets the same number.
int64_t lua_keep_function(lua_State *L, int index) {
  index = lua_absindex(L, index);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lua_key_references);
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) != LUA_TNIL) {
    int64_t known = lua_tointeger(L, -1);
    lua_pop(L, 2);
    return known;
  }
  lua_pop(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lua_key_functions);
  int64_t reference = (int64_t)lua_rawlen(L, -1) + 1;
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, reference);
  lua_pop(L, 1);
  lua_pushvalue(L, index);
  lua_pushinteger(L, reference);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  return reference;
}

void lua_push_function(lua_State *L, int64_t reference) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lua_key_functions);
  lua_rawgeti(L, -1, reference);
  lua_remove(L, -2);
}
