// Gives every call the line of the called function's name, with any Lua 5.4. Lua up to 5.4.5 records the line where the
// whole expression starts, which may be far from the call in a chain over several lines; later versions record the line
// of the arguments.
//
// Lua's interface can read lines but not set them, so a compiled script is dumped, changed, and loaded again. All
// versions of Lua 5.4 have the same format, LUAC_VERSION and LUAC_FORMAT of lundump.h;
// https://www.lua.org/source/5.4/ldump.c.html writes it, and lopcodes.h and ldebug.h define its contents.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lua_internal.h"

_Static_assert(LUA_VERSION_NUM == 504, "another format");

// Opcodes of lopcodes.h.
enum { opcode_jump = 56, opcode_call = 68, opcode_tail_call = 69, opcode_extra_argument = 82 };
// The variant tags of constants: LUA_VNUMINT, LUA_VNUMFLT, LUA_VSHRSTR, LUA_VLNGSTR.
enum { constant_integer = 0x03, constant_float = 0x13, constant_short = 0x04, constant_long = 0x14 };
// ABSLINEINFO, LIMLINEDIFF and MAXIWTHABS.
enum { line_is_absolute = -0x80, line_step_limit = 0x80, relative_lines = 128 };

// A dump to read, and its modified copy. After a failure, nothing more is read, and every number read is 0.
typedef struct {
  const uint8_t *bytes, *end;
  lua_buffer *out;
  bool failed;
} rewriter;

static const uint8_t *read_bytes(rewriter *r, size_t count) {
  if (r->failed || count > (size_t)(r->end - r->bytes)) {
    r->failed = true;
    return NULL;
  }
  r->bytes += count;
  return r->bytes - count;
}

// Reads a number with seven bits per byte, the highest first; the last byte has its high bit set.
static size_t read_size(rewriter *r) {
  size_t value = 0;
  for (;;) {
    const uint8_t *byte = read_bytes(r, 1);
    if (!byte || value > SIZE_MAX >> 8) {
      r->failed = true;
      return 0;
    }
    value = value << 7 | (*byte & 0x7f);
    if (*byte & 0x80) return value;
  }
}

static void write_bytes(rewriter *r, const void *bytes, size_t count) {
  if (!r->failed && !lua_buffer_append(r->out, bytes, count)) r->failed = true;
}

static void write_size(rewriter *r, size_t value) {
  uint8_t bytes[10];
  size_t first = sizeof bytes;
  do {
    bytes[--first] = value & 0x7f;
    value >>= 7;
  } while (value > 0);
  bytes[sizeof bytes - 1] |= 0x80;
  write_bytes(r, bytes + first, sizeof bytes - first);
}

static const uint8_t *copy_bytes(rewriter *r, size_t count) {
  const uint8_t *bytes = read_bytes(r, count);
  if (bytes) write_bytes(r, bytes, count);
  return bytes;
}

static size_t copy_size(rewriter *r) {
  size_t value = read_size(r);
  write_size(r, value);
  return value;
}

static void copy_string(rewriter *r) {
  size_t length = copy_size(r);
  if (length > 1) copy_bytes(r, length - 1);
}

static void copy_constants(rewriter *r) {
  for (size_t left = copy_size(r); left > 0 && !r->failed; left--) {
    const uint8_t *tag = copy_bytes(r, 1);
    if (!tag) return;
    switch (*tag) {
      case constant_integer: copy_bytes(r, sizeof(lua_Integer)); break;
      case constant_float: copy_bytes(r, sizeof(lua_Number)); break;
      case constant_short:
      case constant_long: copy_string(r); break;
    }
  }
}

// Reads the lines of `count` instructions.
static void read_lines(rewriter *r, int line, int *lines, size_t count) {
  const uint8_t *steps = read_bytes(r, count);
  size_t absolute = read_size(r);
  for (size_t i = 0; i < count && !r->failed; i++) {
    int step = (int8_t)steps[i];
    if (step != line_is_absolute) {
      line += step;
    } else if (absolute-- > 0 && read_size(r) == i) {
      line = (int)read_size(r);
    } else {
      r->failed = true;
    }
    lines[i] = line;
  }
  if (absolute != 0) r->failed = true;
}

// Writes the lines of instructions as savelineinfo() in lcode.c does.
static void write_lines(rewriter *r, int line, const int *lines, size_t count) {
  int8_t *steps = malloc(count);
  if (!steps) r->failed = true;
  size_t absolute = 0;
  int relative = 0;
  for (size_t i = 0; i < count && !r->failed; i++) {
    int step = lines[i] - line;
    line = lines[i];
    bool is_far = abs(step) >= line_step_limit || relative++ >= relative_lines;
    steps[i] = (int8_t)(is_far ? line_is_absolute : step);
    absolute += is_far;
    if (is_far) relative = 1;
  }
  if (steps) write_bytes(r, steps, count);
  write_size(r, absolute);
  for (size_t i = 0; i < count && !r->failed; i++) {
    if (steps[i] != line_is_absolute) continue;
    write_size(r, i);
    write_size(r, (size_t)lines[i]);
  }
  free(steps);
}

// Gives each call the line of the instruction that loaded the function into its register. Lua emits this instruction
// right after the function's name; the instructions in between, for the arguments, write to higher registers.
static void move_calls(const uint8_t *code, int *lines, size_t count) {
  int set[256] = {0};
  for (size_t i = 0; i < count; i++) {
    uint32_t instruction;
    memcpy(&instruction, code + 4 * i, sizeof instruction);
    int opcode = instruction & 0x7f, target = instruction >> 7 & 0xff;
    if (opcode == opcode_jump || opcode == opcode_extra_argument) continue;
    bool is_call = opcode == opcode_call || opcode == opcode_tail_call;
    if (is_call && set[target] > 0) lines[i] = set[target];
    set[target] = lines[i];
  }
}

static void rewrite_lines(rewriter *r, int first_line, const uint8_t *code, size_t code_count) {
  size_t count = read_size(r);
  if (count != code_count) r->failed = true;
  write_size(r, count);
  int *lines = r->failed ? NULL : calloc(count, sizeof *lines);
  if (!lines) {
    r->failed = true;
    return;
  }
  read_lines(r, first_line, lines, count);
  if (!r->failed) move_calls(code, lines, count);
  write_lines(r, first_line, lines, count);
  free(lines);
}

// The recursion is limited, because Lua nests functions at most 200 deep (LUAI_MAXCCALLS).
static void rewrite_function(rewriter *r) {
  copy_string(r);
  int first_line = (int)copy_size(r);
  copy_size(r);
  copy_bytes(r, 3);
  size_t code_count = copy_size(r);
  const uint8_t *code = code_count > SIZE_MAX / 4 ? NULL : copy_bytes(r, 4 * code_count);
  copy_constants(r);
  size_t upvalues = copy_size(r);
  copy_bytes(r, upvalues > SIZE_MAX / 3 ? SIZE_MAX : 3 * upvalues);
  for (size_t left = copy_size(r); left > 0 && !r->failed; left--) rewrite_function(r);
  if (!code) r->failed = true;
  rewrite_lines(r, first_line, code, code_count);
  for (size_t left = copy_size(r); left > 0 && !r->failed; left--) {
    copy_string(r);
    copy_size(r);
    copy_size(r);
  }
  for (size_t left = copy_size(r); left > 0 && !r->failed; left--) copy_string(r);
}

// LUA_SIGNATURE, version, format, LUAC_DATA, three sizes, an integer and a number; then the number of upvalues.
static void copy_header(rewriter *r) {
  static const uint8_t opening[] = {
      0x1b, 'L', 'u', 'a', 0x54, 0, 0x19, 0x93, '\r', '\n', 0x1a, '\n', 4, sizeof(lua_Integer), sizeof(lua_Number)};
  const uint8_t *bytes = copy_bytes(r, sizeof opening);
  if (!bytes || memcmp(bytes, opening, sizeof opening) != 0) r->failed = true;
  copy_bytes(r, sizeof(lua_Integer) + sizeof(lua_Number) + 1);
}

static int append_dump(lua_State *L, const void *bytes, size_t length, void *buffer) {
  (void)L;
  return !lua_buffer_append(buffer, bytes, length);
}

void lua_move_lines(lua_State *L, const char *chunk_name) {
  shim_lua *lua = lua_bridge(L);
  lua->dump.length = lua->moved.length = 0;
  rewriter r = {.out = &lua->moved, .failed = lua_dump(L, append_dump, &lua->dump, 0) != 0};
  r.bytes = lua->dump.bytes;
  r.end = r.bytes + lua->dump.length;
  copy_header(&r);
  rewrite_function(&r);
  if (r.failed || r.bytes != r.end) return;
  if (luaL_loadbufferx(L, (const char *)lua->moved.bytes, lua->moved.length, chunk_name, "b") != LUA_OK) lua_error(L);
  lua_replace(L, -2);
  lua_buffer_trim(&lua->dump);
  lua_buffer_trim(&lua->moved);
}
