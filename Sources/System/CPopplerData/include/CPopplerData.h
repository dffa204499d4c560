// The folder of poppler's encodings and character maps, which its GLib interface does not set.
#pragma once

/// Has poppler read its data from a folder instead of the one it was built for. Call it before the first document.
///
/// Returns 0, or -1 if this poppler has no such setting.
int cpoppler_use_data(const char *folder);
