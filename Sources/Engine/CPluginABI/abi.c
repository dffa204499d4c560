// Fixes the layout of version 1, on which compiled plugins depend. A change that makes one of these lines fail breaks
// all existing plugins.
#include "imghost_plugin.h"

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(imghost_value) == 40, "fixed for ever");
_Static_assert(sizeof(imghost_region) == 16, "fixed for ever");
_Static_assert(offsetof(imghost_parameter, default_value) == 56, "version 1");
_Static_assert(offsetof(imghost_parameter, choices) == 96, "version 1");
_Static_assert(offsetof(imghost_picture, writable) == 56, "version 1");
_Static_assert(offsetof(imghost_request, region) == 32, "version 1");
_Static_assert(offsetof(imghost_host, extension) == 64, "version 1");
_Static_assert(offsetof(imghost_plugin, parameters) == 72, "version 1");
_Static_assert(offsetof(imghost_plugin, extension) == 104, "version 1");
#endif
