// Lets plugins forward to the host the messages of libraries that use GLib. A message about a file becomes a note of
// that file.
#pragma once

#include "imghost_plugin.h"

/// Starts passing messages of the calling thread to the host: warnings and errors of all libraries, and the errors that
/// poppler logs as information. Only the first few messages of a call are passed on.
void cglib_messages_begin(const imghost_host *host, const imghost_call *call);
/// Stops passing messages of the calling thread to the host.
void cglib_messages_end(void);
