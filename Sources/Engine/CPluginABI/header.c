// The text of imghost_plugin.h, for projects created by 'imghost new plugin'.
#include "plugin_header_text.h"

#pragma clang diagnostic ignored "-Wc23-extensions"
static const char text[] = {
#embed "include/imghost_plugin.h"
    , 0};

const char *imghost_plugin_text(void) { return text; }
