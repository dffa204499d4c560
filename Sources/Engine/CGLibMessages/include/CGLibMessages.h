// Messages of libraries that use GLib, for plugins: a library's message about a file becomes a note of that file.
#pragma once

#include "imghost_plugin.h"

/// Passes messages of the calling thread to the host from now on: warnings of all libraries, and poppler's errors,
/// which it logs as information. Only the first few of a call are passed on.
void cglib_messages_begin(const imghost_host *host, const imghost_call *call);
/// Restores the previous handler.
void cglib_messages_end(void);
