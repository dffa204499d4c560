// Ends a program whose address space is limited (`ulimit -v`) and used up.
#pragma once

/// If the address space is limited, makes the program end with one line and this status when an allocation of less than
/// 64 MB fails.
///
/// Swift's library, GLib, FreeType and poppler cannot continue without memory, and each one would fail in a different
/// way. This function must be called before other threads start.
///
/// Wraps malloc(3) and mmap(2) of the whole program, as their manuals allow, and handles SIGSEGV, SIGBUS, SIGILL,
/// SIGTRAP and SIGABRT.
void cmemory_guard(int status);
