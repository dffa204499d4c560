// For the host only; a plugin needs only imghost_plugin.h.
#pragma once

/// Returns the text of imghost_plugin.h: constant, null-terminated, never freed.
const char *_Nonnull imghost_plugin_text(void);
