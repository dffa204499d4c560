// Sets the folder of poppler's encodings and character maps, which its GLib interface cannot do.
#pragma once

/// Makes poppler read its data from a folder instead of the one it was built with. Must be called before the first
/// document is opened.
///
/// Returns 0, or -1 if this poppler does not support it.
int cpoppler_use_data(const char *folder);
