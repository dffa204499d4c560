// The end of a program whose address space is limited (`ulimit -v`) and used up.
#pragma once

/// From now on, where that limit is set, a program that gets no memory ends with one line and this status: neither
/// Swift's library nor GLib, FreeType and poppler go on without, and each would end it, or go wrong, in words of its own.
/// Call it before other threads start.
///
/// Wraps malloc(3) and mmap(2) of the whole program, as their manuals allow, and SIGSEGV, SIGBUS, SIGILL, SIGTRAP and
/// SIGABRT.
void cmemory_guard(int status);
