// Forwards messages of libraries that use GLib to the host, for plugins. A message about a file becomes a note of that
// file.
#pragma once

#include "imghost_plugin.h"

/// Starts passing messages of the calling thread to the host: warnings of all libraries, and poppler's errors, which
/// poppler logs as information. Only the first few messages of a call are passed on.
void cglib_messages_begin(const imghost_host *host, const imghost_call *call);
/// Stops passing messages of the calling thread to the host; they go to the previous handler again.
void cglib_messages_end(void);
