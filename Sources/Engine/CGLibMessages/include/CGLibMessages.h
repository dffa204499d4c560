// Messages of libraries that use GLib, for plugins: what a library reports while it works on a file becomes a note of that
// file.
#pragma once

#include "imghost_plugin.h"

/// Passes messages of the calling thread to the host from now on: warnings of all libraries, and poppler's errors, which
/// it reports as information. The first few of a call; the others are lost.
void cglib_messages_begin(const imghost_host *host, const imghost_call *call);
/// Leaves messages to the handler before.
void cglib_messages_end(void);
