// For the host alone; a plugin needs only imghost_plugin.h.
#pragma once

/// The text of imghost_plugin.h: constant, ended by a 0 byte, never freed.
const char *_Nonnull imghost_plugin_text(void);
