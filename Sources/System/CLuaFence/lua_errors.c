// The positions and texts of errors in scripts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua_internal.h"

// The maximum number of frames that are searched across coroutines, from the innermost one. lua_getstack walks from the
// top each time, so searching a very deep stack would be slow.
enum { deepest = 200 };

typedef struct {
  lua_State *thread;
  const lua_resumer *outer;
  int level, seen;
} frames;

static frames frames_of(lua_State *L) { return (frames){L, lua_bridge(L)->resumers, 0, 0}; }

static bool next_frame(frames *f, lua_Debug *frame) {
  while (f->seen++ < deepest) {
    if (lua_getstack(f->thread, f->level++, frame)) {
      lua_getinfo(f->thread, "Sl", frame);
      return true;
    }
    if (!f->outer) return false;
    f->thread = f->outer->thread;
    f->outer = f->outer->outer;
    f->level = 0;
  }
  return false;
}

// The user's chunks are named "@file", trusted ones "=name".
static bool is_script(const lua_Debug *frame) { return frame->source[0] == '@' && frame->currentline > 0; }

// Finds the innermost frame of the script. Returns the frame's thread, or NULL.
static lua_State *find_script_frame(lua_State *L, lua_Debug *frame) {
  frames f = frames_of(L);
  while (next_frame(&f, frame)) {
    if (is_script(frame)) return f.thread;
  }
  return NULL;
}

static void set_line(shim_lua_line *line, const char *source, int number) {
  snprintf(line->file, sizeof line->file, "%s", source[0] == '@' ? source + 1 : source);
  line->line = number;
}

// Returns the innermost line of the script. Allocates nothing, so that the allocator may call it while Lua is in the
// middle of an operation; Lua keeps the frames consistent at every allocation.
shim_lua_line lua_find_line(shim_lua *lua) {
  shim_lua_line line = {.line = 0};
  lua_Debug frame;
  if (find_script_frame(lua->running, &frame)) set_line(&line, frame.source, frame.currentline);
  return line;
}

// Stores the line of a refused allocation. An allocation that is refused while the stack is unwound has no line, so the
// previous one is kept.
void lua_note_memory_line(shim_lua *lua) {
  shim_lua_line line = lua_find_line(lua);
  if (line.line > 0) lua->memory_line = line;
}

void lua_push_position(lua_State *L) {
  lua_Debug frame;
  if (find_script_frame(L, &frame)) {
    lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
  } else {
    lua_pushliteral(L, "");
  }
}

// Returns whether a value is an error that scripts must not catch: out of time, aborted, or Lua's own message for
// exhausted memory. If lua_error raises that message again, Lua treats it as the same memory error.
bool lua_is_fatal(lua_State *L, int index) {
  shim_lua *lua = lua_bridge(L);
  const void *value = lua_touserdata(L, index);
  if (lua_type(L, index) == LUA_TLIGHTUSERDATA) {
    return value == &lua->out_of_time || value == &lua->aborted;
  }
  return lua_type(L, index) == LUA_TSTRING && strcmp(lua_tostring(L, index), "not enough memory") == 0;
}

// Returns the length of "chunk:123: " at the start of `message`, or 0; stores the number in `line`.
static size_t match_position(const char *message, const char *chunk, int *line) {
  size_t length = strlen(chunk);
  if (strncmp(message, chunk, length) != 0 || message[length] != ':') return 0;
  char *end;
  long number = strtol(message + length + 1, &end, 10);
  if (end == message + length + 1 || end[0] != ':' || end[1] != ' ') return 0;
  *line = (int)number;
  return (size_t)(end - message) + 2;
}

// Finds the frame whose position is at the start of `message`. Returns the length of the position, or 0.
static size_t match_frame(lua_State *L, const char *message, lua_Debug *matched, int *line) {
  frames f = frames_of(L);
  while (next_frame(&f, matched)) {
    if (strcmp(matched->what, "C") == 0) continue;
    size_t length = match_position(message, matched->short_src, line);
    if (length > 0) return length;
  }
  return 0;
}

// Removes the positions at the front of `message`. The place of the error is the script's last position in the message,
// which is nearest to the cause, or else the innermost line of the script. The position of a prelude is kept if no
// script is involved.
static const char *take_positions(lua_State *L, const char *message, shim_lua_line *place) {
  *place = lua_find_line(lua_bridge(L));
  bool in_script = place->line > 0;
  lua_Debug frame;
  int line;
  size_t length;
  while ((length = match_frame(L, message, &frame, &line)) > 0) {
    bool scripts = frame.source[0] == '@';
    if (!scripts && !in_script) break;
    if (scripts) set_line(place, frame.source, line);
    message += length;
  }
  return message;
}

// Returns the text of the error value on top of the stack, and pushes it unless the value is a string.
static const char *as_text(lua_State *L) {
  if (lua_type(L, -1) == LUA_TSTRING) return lua_tostring(L, -1);
  if (lua_isnumber(L, -1)) return luaL_tolstring(L, -1, NULL);
  if (luaL_getmetafield(L, -1, "__tostring") != LUA_TNIL) {
    lua_pop(L, 1);
    return luaL_tolstring(L, -1, NULL);
  }
  return lua_pushfstring(L, "the script raised an error that is not text but a %s value", luaL_typename(L, -1));
}

// The maximum number of bytes of an error's text that the host receives. Longer texts are not useful as messages, and
// the host copies them several times.
enum { longest_message = 15 << 10 };

static void note_message(shim_lua *lua, const char *message) {
  size_t length = strlen(message), kept = length;
  if (length > longest_message) {
    kept = longest_message;
    // The text must not end inside a UTF-8 character.
    while (kept > 0 && (message[kept] & 0xc0) == 0x80) kept--;
  }
  lua->message.length = 0;
  lua_buffer_append(&lua->message, message, kept);
  if (kept == length) return;
  char rest[64];
  int count = snprintf(rest, sizeof rest, "… and %zu bytes more", length - kept);
  lua_buffer_append(&lua->message, rest, (size_t)count);
}

// Removes a variable's value from the stack, and appends the variable's name to `names` if the value is nil. Names in
// parentheses are internal to Lua.
static void note_if_nil(lua_State *L, lua_buffer *names, const char *name) {
  if (lua_isnil(L, -1) && name[0] != '(') lua_buffer_append(names, name, strlen(name) + 1);
  lua_pop(L, 1);
}

// Stores the names of the variables that are nil in the innermost running function of the script. Returns false, and
// keeps the previous names, if there is no such function, or no room on the stack.
static bool note_nil_variables(lua_State *L) {
  lua_buffer *names = &lua_bridge(L)->nil_variables;
  lua_Debug frame;
  lua_State *thread = find_script_frame(L, &frame);
  if (!thread || !lua_checkstack(thread, 2)) return false;
  names->length = 0;
  const char *name;
  for (int i = 1; (name = lua_getlocal(thread, &frame, i)); i++) note_if_nil(thread, names, name);
  lua_getinfo(thread, "f", &frame);
  for (int i = 1; (name = lua_getupvalue(thread, -1, i)); i++) note_if_nil(thread, names, name);
  lua_pop(thread, 1);
  return true;
}

const char *shim_lua_nil_variables(shim_lua *lua, size_t *length) {
  note_nil_variables(lua->running);
  *length = lua->nil_variables.length;
  return (const char *)lua->nil_variables.bytes;
}

// The message handler of calls from the host.
int lua_report_error(lua_State *L) {
  shim_lua *lua = lua_bridge(L);
  if (lua_is_fatal(L, 1) || lua->syntax_error) return 1;
  if (!note_nil_variables(L)) lua->nil_variables.length = 0;
  lua_settop(L, 1);
  const char *message = take_positions(L, as_text(L), &lua->error_line);
  note_message(lua, message);
  return 1;
}

lua_placement lua_locate_error(lua_State *L) {
  lua_placement place = {.skip = 0};
  lua_Debug frame;
  int line;
  if (lua_type(L, -1) != LUA_TSTRING) return place;
  size_t length = match_frame(L, lua_tostring(L, -1), &frame, &line);
  if (length == 0 || frame.source[0] == '@') return place;
  place.skip = length;
  if (find_script_frame(L, &frame)) {
    snprintf(place.text, sizeof place.text, "%s:%d: ", frame.short_src, frame.currentline);
  }
  return place;
}

void lua_place_error(lua_State *L, const lua_placement *place) {
  if (place->skip == 0) return;
  lua_pushfstring(L, "%s%s", place->text, lua_tostring(L, -1) + place->skip);
  lua_replace(L, -2);
}

int lua_place_handler(lua_State *L) {
  lua_settop(L, 1);
  lua_placement place = lua_locate_error(L);
  lua_place_error(L, &place);
  return 1;
}

// Stores the compiler's message, which is on top of the stack, for the chunk `chunk_name`.
void lua_note_syntax_error(lua_State *L, const char *chunk_name) {
  shim_lua *lua = lua_bridge(L);
  lua->syntax_error = true;
  lua->error_line.line = 0;
  const char *message = lua_tostring(L, -1);
  lua_Debug chunk;
  // Lua shortens chunk names in messages, so an empty chunk with the same name is compiled to see the short form.
  if (chunk_name[0] == '@' && luaL_loadbuffer(L, "", 0, chunk_name) == LUA_OK) {
    lua_getinfo(L, ">S", &chunk);
    int line;
    size_t length = match_position(message, chunk.short_src, &line);
    if (length > 0) set_line(&lua->error_line, chunk_name, line);
    message += length;
  }
  note_message(lua, message);
}

const uint8_t *shim_lua_message(const shim_lua *lua, size_t *length) {
  *length = lua->message.length;
  return lua->message.bytes;
}

const shim_lua_line *shim_lua_error_line(const shim_lua *lua) { return &lua->error_line; }

shim_lua_line shim_lua_current_line(shim_lua *lua) { return lua_find_line(lua); }
