// Converts values to tokens and back; see CLuaFence.h for the tokens.
#include <stdlib.h>
#include <string.h>

#include "lua_internal.h"

enum { deepest = 16, most_items = 1000000 };

// The maximum length of a short string in bytes. Longer strings are counted by `shim_lua_long_bytes`.
enum { short_string = 1024 };

typedef struct {
  lua_State *L;
  lua_buffer *buffer;
  const void *open[deepest];  // the tables being written, outermost first
  int depth;
  size_t items;
} writer;

bool lua_buffer_append(lua_buffer *buffer, const void *bytes, size_t length) {
  if (length > SIZE_MAX / 4 - buffer->length) return false;
  size_t needed = buffer->length + length;
  if (needed > buffer->capacity) {
    size_t capacity = needed * 2 < 256 ? 256 : needed * 2;
    uint8_t *grown = realloc(buffer->bytes, capacity);
    if (!grown) return false;
    buffer->bytes = grown;
    buffer->capacity = capacity;
  }
  if (length > 0) memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length = needed;
  return true;
}

void lua_buffer_trim(lua_buffer *buffer) {
  if (buffer->capacity <= 1 << 14) return;
  free(buffer->bytes);
  *buffer = (lua_buffer){0};
}

// Returns whether there is room for the buffer, which grows by doubling, and for the host's copies of the items and
// strings. They may need much more memory than Lua, because a table may contain a long string any number of times.
static bool has_room(const writer *w, size_t length) {
  const shim_lua *lua = lua_bridge(w->L);
  return lua_has_room(lua, 3 * (w->buffer->length + length) + 64 * lua->items);
}

static void put(writer *w, const void *bytes, size_t length) {
  if (has_room(w, length) && lua_buffer_append(w->buffer, bytes, length)) return;
  lua_note_memory_line(lua_bridge(w->L));
  lua_pushliteral(w->L, "not enough memory");
  lua_error(w->L);
}

static void put_tag(writer *w, uint8_t tag) { put(w, &tag, 1); }

static void put_text(writer *w, const char *text, size_t length) {
  uint64_t count = length;
  put(w, &count, sizeof count);
  put(w, text, length);
}

static void put_string(writer *w, uint8_t tag, int index) {
  size_t length;
  const char *text = lua_tolstring(w->L, index, &length);
  if (length > short_string) lua_bridge(w->L)->long_bytes += length;
  put_tag(w, tag);
  put_text(w, text, length);
}

static void put_unrepresentable(writer *w, const char *what) {
  put_tag(w, SHIM_LUA_UNREPRESENTABLE);
  put_text(w, what, strlen(what));
}

static const char *put_value(writer *w, int index);

static const char *put_array(writer *w, int table, lua_Unsigned length) {
  for (lua_Unsigned i = 1; i <= length; i++) {
    lua_rawgeti(w->L, table, (lua_Integer)i);
    const char *reason = put_value(w, lua_gettop(w->L));
    lua_pop(w->L, 1);
    if (reason) return reason;
  }
  return NULL;
}

// Returns the reason why the table has no plain form, or NULL. Does not change the stack.
static const char *put_fields(writer *w, int table, lua_Unsigned length) {
  lua_State *L = w->L;
  const char *reason = NULL;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    int type = lua_type(L, -2);
    if (type == LUA_TSTRING) {
      put_string(w, SHIM_LUA_STRING, -2);
      reason = put_value(w, lua_gettop(L));
    } else if (!lua_isinteger(L, -2) || (lua_Unsigned)lua_tointeger(L, -2) - 1 >= length) {
      reason = type == LUA_TNUMBER ? "table with holes in its positions" : "table with keys that are not names";
    }
    if (reason) {
      lua_pop(L, 2);
      return reason;
    }
    lua_pop(L, 1);
  }
  return NULL;
}

static const char *put_table_parts(writer *w, int table) {
  lua_Unsigned length = lua_rawlen(w->L, table);
  if (length > most_items) return "table with too many items";
  put_tag(w, SHIM_LUA_TABLE);
  const char *reason = put_array(w, table, length);
  if (reason) return reason;
  put_tag(w, SHIM_LUA_FIELDS);
  reason = put_fields(w, table, length);
  if (reason) return reason;
  put_tag(w, SHIM_LUA_END);
  return NULL;
}

// Writes a table. One that has no plain form becomes UNREPRESENTABLE, but a table around it keeps its form. Only "too
// many items" is returned, because it applies to the whole value.
static const char *put_table(writer *w, int table) {
  const void *identity = lua_topointer(w->L, table);
  for (int i = 0; i < w->depth; i++) {
    if (w->open[i] == identity) {
      put_unrepresentable(w, "cyclic table");
      return NULL;
    }
  }
  if (w->depth == deepest) {
    put_unrepresentable(w, "table nested too deeply");
    return NULL;
  }
  size_t start = w->buffer->length;
  w->open[w->depth++] = identity;
  const char *reason = put_table_parts(w, table);
  w->depth--;
  if (reason && w->items <= most_items) {
    w->buffer->length = start;
    put_unrepresentable(w, reason);
    reason = NULL;
  }
  return reason;
}

static void put_userdata(writer *w, int index) {
  int64_t handle;
  if (!lua_get_object(w->L, index, &handle)) {
    put_unrepresentable(w, luaL_typename(w->L, index));
    return;
  }
  put_tag(w, SHIM_LUA_OBJECT);
  put(w, &handle, sizeof handle);
  size_t length;
  const char *type = lua_tolstring(w->L, -1, &length);
  put_text(w, type, length);
  lua_pop(w->L, 1);
}

static void put_number(writer *w, int index) {
  int64_t integer = lua_tointeger(w->L, index);
  double number = lua_tonumber(w->L, index);
  bool is_integer = lua_isinteger(w->L, index);
  put_tag(w, is_integer ? SHIM_LUA_INTEGER : SHIM_LUA_NUMBER);
  put(w, is_integer ? (const void *)&integer : &number, 8);
}

static const char *put_value(writer *w, int index) {
  lua_State *L = w->L;
  luaL_checkstack(L, 8, "too many values");
  lua_bridge(L)->items++;
  if (++w->items > most_items) return "table with too many items";
  int type = lua_type(L, index);
  if (type == LUA_TNIL || type == LUA_TNONE) {
    put_tag(w, SHIM_LUA_NIL);
  } else if (type == LUA_TBOOLEAN) {
    uint8_t flag = (uint8_t)lua_toboolean(L, index);
    put_tag(w, SHIM_LUA_BOOLEAN);
    put(w, &flag, 1);
  } else if (type == LUA_TNUMBER) {
    put_number(w, index);
  } else if (type == LUA_TSTRING) {
    put_string(w, SHIM_LUA_STRING, index);
  } else if (type == LUA_TFUNCTION) {
    int64_t reference = lua_keep_function(L, index);
    put_tag(w, SHIM_LUA_FUNCTION);
    put(w, &reference, sizeof reference);
  } else if (type == LUA_TTABLE) {
    return put_table(w, index);
  } else if (type == LUA_TUSERDATA) {
    put_userdata(w, index);
  } else {
    put_unrepresentable(w, lua_typename(L, type));
  }
  return NULL;
}

void lua_write_value(lua_State *L, lua_buffer *buffer, int index) {
  writer w = {.L = L, .buffer = buffer};
  size_t start = buffer->length;
  const char *reason = put_value(&w, lua_absindex(L, index));
  if (reason) {
    buffer->length = start;
    put_unrepresentable(&w, reason);
  }
}

// Reading needs no checks, because the host wrote the stream.

static const uint8_t *take(const uint8_t **at, size_t length) {
  const uint8_t *taken = *at;
  *at += length;
  return taken;
}

static uint64_t take_word(const uint8_t **at) {
  uint64_t word;
  memcpy(&word, take(at, sizeof word), sizeof word);
  return word;
}

static void push_text(lua_State *L, const uint8_t **at) {
  size_t length = take_word(at);
  lua_pushlstring(L, (const char *)take(at, length), length);
}

static void push_value(lua_State *L, const uint8_t **at);

static void push_table(lua_State *L, const uint8_t **at) {
  lua_newtable(L);
  for (lua_Integer i = 1; **at != SHIM_LUA_FIELDS; i++) {
    push_value(L, at);
    lua_rawseti(L, -2, i);
  }
  take(at, 1);
  while (*take(at, 1) != SHIM_LUA_END) {
    push_text(L, at);
    push_value(L, at);
    lua_rawset(L, -3);
  }
}

static void push_value(lua_State *L, const uint8_t **at) {
  luaL_checkstack(L, 8, "too many values");
  switch (*take(at, 1)) {
    case SHIM_LUA_BOOLEAN: lua_pushboolean(L, *take(at, 1)); break;
    case SHIM_LUA_INTEGER: lua_pushinteger(L, (lua_Integer)take_word(at)); break;
    case SHIM_LUA_NUMBER: {
      double number;
      memcpy(&number, take(at, sizeof number), sizeof number);
      lua_pushnumber(L, number);
      break;
    }
    case SHIM_LUA_STRING: push_text(L, at); break;
    case SHIM_LUA_FUNCTION: lua_push_function(L, (int64_t)take_word(at)); break;
    case SHIM_LUA_OBJECT: {
      int64_t handle = (int64_t)take_word(at);
      size_t length = take_word(at);
      lua_push_object(L, handle, (const char *)take(at, length), length);
      break;
    }
    case SHIM_LUA_TABLE: push_table(L, at); break;
    default: lua_pushnil(L);
  }
}

void lua_push_values(lua_State *L, const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) push_value(L, &bytes);
}
