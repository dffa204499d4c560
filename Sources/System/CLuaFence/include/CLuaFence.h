// A Lua 5.4 state whose errors never leave C: only lua_*.c calls Lua, so no longjmp crosses a Swift frame.
//
// Values are passed as a flat stream of tokens, which never leaves the process, and so has the native byte order:
//   NIL | BOOLEAN u8 | INTEGER i64 | NUMBER f64 | STRING u64 bytes | FUNCTION i64
//   OBJECT i64 u64 bytes (handle, type name) | UNREPRESENTABLE u64 bytes (what it is)
//   TABLE value* FIELDS (u64 bytes value)* END
//
// A state is used by one thread at a time. Only the overrun callback runs on another, and shim_lua_stop on any thread.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SHIM_LUA_NIL,
  SHIM_LUA_BOOLEAN,
  SHIM_LUA_INTEGER,
  SHIM_LUA_NUMBER,
  SHIM_LUA_STRING,
  SHIM_LUA_FUNCTION,
  SHIM_LUA_OBJECT,
  SHIM_LUA_UNREPRESENTABLE,
  SHIM_LUA_TABLE,
  SHIM_LUA_FIELDS,
  SHIM_LUA_END,
};

// The outcome of a call into Lua, and the kind of the host's answer to a call from Lua.
enum {
  SHIM_LUA_OK,
  SHIM_LUA_SYNTAX_ERROR,
  SHIM_LUA_ERROR,
  SHIM_LUA_OUT_OF_MEMORY,
  SHIM_LUA_OUT_OF_TIME,
  SHIM_LUA_ABORTED,
};

typedef struct shim_lua shim_lua;

// A position in a script. `line` is 0 if unknown; a long file name is truncated.
typedef struct {
  char file[1024];
  int32_t line;
} shim_lua_line;

typedef struct {
  void *context;
  // The script calls host function `function`. `arguments` contains `count` values, and is valid until the next call on
  // this state. The answer is set by shim_lua_answer: values if the result is SHIM_LUA_OK, the message if it is
  // SHIM_LUA_ERROR, else nothing.
  int32_t (*called)(void *context, int32_t function, const uint8_t *arguments, size_t length, size_t count);
  void *watchdog_context;
  // Called once, on the watchdog's thread, if Lua cannot be stopped in time.
  void (*overran)(void *watchdog_context);
} shim_lua_host;

typedef struct {
  size_t memory_bytes;
  int64_t time_nanoseconds;
  int64_t grace_nanoseconds;
} shim_lua_limits;

// Opens a state; NULL if there is not enough memory.
shim_lua *shim_lua_open(shim_lua_limits limits, shim_lua_host host);
// Closes a state. Returns the number of bytes that Lua did not free, which should be 0.
size_t shim_lua_close(shim_lua *lua);

// Each of the five functions below returns one of the codes above; see also shim_lua_message and shim_lua_error_line.

// Adds host function `function` to the prelude's table `host`.
int32_t shim_lua_register(shim_lua *lua, const char *name, int32_t function);
// Runs a trusted chunk in the prelude's environment. The limits apply from the first script on.
int32_t shim_lua_prelude(shim_lua *lua, const uint8_t *source, size_t length, const char *name);
// Runs a script's chunk in the sandbox's environment. `arguments` are `count` string values.
int32_t shim_lua_script(
    shim_lua *lua, const uint8_t *source, size_t length, const char *name, const uint8_t *arguments, size_t count);
// Calls a function that came from this state. The results are then in shim_lua_results.
int32_t shim_lua_call(shim_lua *lua, int64_t function, const uint8_t *arguments, size_t count);
// Makes `require "name"` return the prelude's global `global`.
int32_t shim_lua_module(shim_lua *lua, const char *name, const char *global);

// The results of the last successful shim_lua_call, valid until the next call on this state.
const uint8_t *shim_lua_results(const shim_lua *lua, size_t *length, size_t *count);
// Sets the answer to the current call from Lua. Returns false if there is not enough memory.
bool shim_lua_answer(shim_lua *lua, const uint8_t *bytes, size_t length, size_t count);

// Checks the limits during long work in a host function. Returns SHIM_LUA_OUT_OF_TIME if the script was stopped or
// `nanoseconds` more would exceed its time, or SHIM_LUA_OUT_OF_MEMORY if `bytes` more would exceed its memory; else
// SHIM_LUA_OK.
int32_t shim_lua_check(const shim_lua *lua, int64_t nanoseconds, size_t bytes);
// Returns the processor time of the calling thread.
int64_t shim_lua_thread_time(void);
// Subtracts nanoseconds from the idle time, and adds them to the script's time.
void shim_lua_spend(shim_lua *lua, int64_t nanoseconds);
// Counts bytes as the script's memory; the host keeps them until the state is closed. If they exceed the limit, the
// script fails after the running call.
void shim_lua_claim(shim_lua *lua, size_t bytes);
// Returns the total size of the long strings among the running call's arguments, in case the host keeps them.
size_t shim_lua_long_bytes(const shim_lua *lua);

// Returns the last error's text without its position: not NUL-terminated, and valid until the next call on this state.
const uint8_t *shim_lua_message(const shim_lua *lua, size_t *length);
// Returns the position where the last error was raised.
const shim_lua_line *shim_lua_error_line(const shim_lua *lua);
// Returns the names of the variables that are nil in the script's innermost function, each followed by a NUL: in the
// current call or, outside of calls, where the last error was raised. They are valid until the next call on this state.
const char *shim_lua_nil_variables(shim_lua *lua, size_t *length);
// Returns the script's innermost line in the current call.
shim_lua_line shim_lua_current_line(shim_lua *lua);

// The start of a time span in the host: the clock, and the script's time and the idle time that were counted by then.
typedef struct {
  int64_t began, spent, idle;
} shim_lua_span;
// Begins a time span in the host, and ends it as a wait, which does not count against the script's limit. Waits may be
// nested.
shim_lua_span shim_lua_begin(const shim_lua *lua);
void shim_lua_end_idle(shim_lua *lua, shim_lua_span span);

// Returns the time spent in Lua and in the host functions that it called, without their waiting time.
int64_t shim_lua_nanoseconds(const shim_lua *lua);
// Makes the script end soon, as if it had exceeded its time limit. May be called on any thread while the state is open.
void shim_lua_stop(shim_lua *lua);
// Frees values that the script can no longer reach. Must not be called while the state runs.
void shim_lua_collect(shim_lua *lua);
// Returns the number of bytes that Lua has allocated, or that the host has claimed for the script.
size_t shim_lua_bytes(const shim_lua *lua);
