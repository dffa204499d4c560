// Declarations shared by the lua_*.c files.
#pragma once
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "include/CLuaFence.h"

// A buffer that grows as needed. It belongs to the state, so that a longjmp past its user leaks nothing.
typedef struct {
  uint8_t *bytes;
  size_t length, capacity, count;
} lua_buffer;

// A thread that waits inside coroutine.resume, in a list from the innermost to the outermost. It is stored on the C
// stack of that call.
typedef struct lua_resumer {
  lua_State *thread;
  struct lua_resumer *outer;
} lua_resumer;

struct shim_lua {
  lua_State *main;
  lua_State *running;  // the running coroutine, or main
  lua_resumer *resumers;
  shim_lua_host host;

  size_t bytes_in_use, memory_bytes;
  size_t held;        // part of bytes_in_use: memory that the host keeps for the script
  size_t claimed;     // additional memory that the host's running function claims
  size_t long_bytes;  // in the running call: the bytes of long strings among its arguments
  size_t items;       // in the running call: the number of values passed
  shim_lua_limits limits;
  bool limited;               // whether the first script has started
  bool in_lua;                // false while the host runs, or C transfers values for it
  shim_lua_line memory_line;  // position of the last refused allocation

  shim_lua_line time_line;  // position at which the time ran out

  int64_t limit, spent, entered;  // nanoseconds; entered counts while in_lua
  int64_t idle;                   // waiting time of the host
  int64_t grace;

  pthread_t watchdog;
  bool watched, closing;  // closing: protected by watch_lock
  pthread_mutex_t watch_lock;
  pthread_cond_t watch_changed;
  _Atomic int64_t overrun_at;   // when the watchdog acts; 0 while the host runs
  _Atomic int64_t spent_shown;  // a copy of spent for the watchdog
  atomic_bool stopped;          // set by any thread when the time is up

  lua_buffer out;      // values for the host
  lua_buffer in;       // the host's answer
  lua_buffer message;  // the last error
  lua_buffer nil_variables;
  lua_buffer dump, moved;  // the dump of a script that is being loaded
  shim_lua_line error_line;
  bool syntax_error;
  char script_name[1024];
  // Only the addresses of these two are used: as error values that no pcall of a script can catch.
  char out_of_time, aborted;
};

// Only the addresses of these variables are used: as keys of the registry.
extern const char lua_key_environment, lua_key_types, lua_key_objects, lua_key_functions, lua_key_references,
    lua_key_modules, lua_key_host;

// Returns the `shim_lua` of a state, given any of its threads. Lua copies the main thread's extra space to new threads.
static inline shim_lua *lua_bridge(lua_State *L) { return *(shim_lua **)lua_getextraspace(L); }

// lua_clock.c
int64_t lua_now(void);
void lua_enter(shim_lua *lua);
void lua_leave(shim_lua *lua);
// Adds to the script's time the time that the host has used since `span` began.
void lua_end_host(shim_lua *lua, shim_lua_span span);
void lua_count_hook(lua_State *L, lua_Debug *event);

// lua_watchdog.c
void lua_watch(shim_lua *lua);
void lua_unwatch(shim_lua *lua);

// lua_values.c: may raise errors.
void lua_write_value(lua_State *L, lua_buffer *buffer, int index);
// Pushes `count` values of a stream.
void lua_push_values(lua_State *L, const uint8_t *bytes, size_t count);
bool lua_buffer_append(lua_buffer *buffer, const void *bytes, size_t length);
// Returns whether the host may allocate this number of bytes for a copy of values, in addition to Lua's memory.
bool lua_has_room(const shim_lua *lua, size_t bytes);
// Frees the buffer's memory if it is more than most calls need.
void lua_buffer_trim(lua_buffer *buffer);

// lua_objects.c
void lua_open_objects(lua_State *L);
void lua_push_object(lua_State *L, int64_t handle, const char *type, size_t length);
// Returns whether the value is a host object. If so, sets its handle, and pushes its type's name.
bool lua_get_object(lua_State *L, int index, int64_t *handle);
int64_t lua_keep_function(lua_State *L, int index);
void lua_push_function(lua_State *L, int64_t reference);

// lua_errors.c
shim_lua_line lua_find_line(shim_lua *lua);
void lua_note_memory_line(shim_lua *lua);
void lua_push_position(lua_State *L);
bool lua_is_fatal(lua_State *L, int index);
// Message handlers: one for the host, which stores message and line, and one for a script's own pcall, which replaces a
// position in a prelude by that in the script.
int lua_report_error(lua_State *L);
int lua_place_handler(lua_State *L);
// The second handler in two steps, for an error on top of the stack: lua_locate_error finds the position while the
// stack is complete, and allocates nothing; lua_place_error then changes the message.
typedef struct {
  char text[LUA_IDSIZE + 16];
  size_t skip;
} lua_placement;
lua_placement lua_locate_error(lua_State *L);
void lua_place_error(lua_State *L, const lua_placement *place);
void lua_note_syntax_error(lua_State *L, const char *chunk_name);

// lua_lines.c: sets the line of each call in the compiled chunk on top of the stack to that of the called function's
// name. May raise errors.
void lua_move_lines(lua_State *L, const char *chunk_name);

// lua_sandbox.c
void lua_open_sandbox(lua_State *L);
// lua_state.c
void lua_start_limits(shim_lua *lua);
// lua_calls.c
void lua_open_calls(lua_State *L);
