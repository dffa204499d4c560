// Embeds files of the source code in the programs that use them. In Swift, this would require literals, and the
// compiler would take a hundred times as long.
#include "CEmbeddedFiles.h"

#include <string.h>

// `#embed` is C23 (6.10.4), but clang also accepts it in earlier versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const uint8_t Sandbox_lua[] = {
#embed "../../Scripting/LuaRuntime/Sandbox/Sandbox.lua"
};
static const uint8_t Prelude_lua[] = {
#embed "../../Scripting/LuaBindings/Prelude/Prelude.lua"
};
static const uint8_t MorePrelude_lua[] = {
#embed "../../Scripting/LuaBindings/Prelude/MorePrelude.lua"
};
static const uint8_t Lists_lua[] = {
#embed "../../Scripting/LuaBindings/Prelude/Lists.lua"
};
static const uint8_t Test_lua[] = {
#embed "../../Scripting/LuaBindings/Testing/Test.lua"
};
static const uint8_t album_lua[] = {
#embed "../../Books/BookDesign/Styles/album.lua"
};
static const uint8_t contact_lua[] = {
#embed "../../Books/BookDesign/Styles/contact.lua"
};
static const uint8_t magazine_lua[] = {
#embed "../../Books/BookDesign/Styles/magazine.lua"
};
static const uint8_t minimal_lua[] = {
#embed "../../Books/BookDesign/Styles/minimal.lua"
};
static const uint8_t comparison_js[] = {
#embed "../../Programs/Preview/Page/comparison.js"
};
static const uint8_t connection_js[] = {
#embed "../../Programs/Preview/Page/connection.js"
};
static const uint8_t elements_js[] = {
#embed "../../Programs/Preview/Page/elements.js"
};
static const uint8_t inspector_js[] = {
#embed "../../Programs/Preview/Page/inspector.js"
};
static const uint8_t layouts_js[] = {
#embed "../../Programs/Preview/Page/layouts.js"
};
static const uint8_t messages_js[] = {
#embed "../../Programs/Preview/Page/messages.js"
};
static const uint8_t outputs_js[] = {
#embed "../../Programs/Preview/Page/outputs.js"
};
static const uint8_t pictures_js[] = {
#embed "../../Programs/Preview/Page/pictures.js"
};
static const uint8_t plan_js[] = {
#embed "../../Programs/Preview/Page/plan.js"
};
static const uint8_t preview_css[] = {
#embed "../../Programs/Preview/Page/preview.css"
};
static const uint8_t preview_html[] = {
#embed "../../Programs/Preview/Page/preview.html"
};
static const uint8_t preview_js[] = {
#embed "../../Programs/Preview/Page/preview.js"
};
static const uint8_t preview_svg[] = {
#embed "../../Programs/Preview/Page/preview.svg"
};
static const uint8_t run_js[] = {
#embed "../../Programs/Preview/Page/run.js"
};
static const uint8_t settings_js[] = {
#embed "../../Programs/Preview/Page/settings.js"
};
static const uint8_t tiles_js[] = {
#embed "../../Programs/Preview/Page/tiles.js"
};
static const uint8_t viewer_js[] = {
#embed "../../Programs/Preview/Page/viewer.js"
};

static const struct {
  const char *name;
  const uint8_t *bytes;
  size_t count;
} files[] = {
    {"Sandbox.lua", Sandbox_lua, sizeof Sandbox_lua},
    {"Prelude.lua", Prelude_lua, sizeof Prelude_lua},
    {"MorePrelude.lua", MorePrelude_lua, sizeof MorePrelude_lua},
    {"Lists.lua", Lists_lua, sizeof Lists_lua},
    {"Test.lua", Test_lua, sizeof Test_lua},
    {"album.lua", album_lua, sizeof album_lua},
    {"contact.lua", contact_lua, sizeof contact_lua},
    {"magazine.lua", magazine_lua, sizeof magazine_lua},
    {"minimal.lua", minimal_lua, sizeof minimal_lua},
    {"comparison.js", comparison_js, sizeof comparison_js},
    {"connection.js", connection_js, sizeof connection_js},
    {"elements.js", elements_js, sizeof elements_js},
    {"inspector.js", inspector_js, sizeof inspector_js},
    {"layouts.js", layouts_js, sizeof layouts_js},
    {"messages.js", messages_js, sizeof messages_js},
    {"outputs.js", outputs_js, sizeof outputs_js},
    {"pictures.js", pictures_js, sizeof pictures_js},
    {"plan.js", plan_js, sizeof plan_js},
    {"preview.css", preview_css, sizeof preview_css},
    {"preview.html", preview_html, sizeof preview_html},
    {"preview.js", preview_js, sizeof preview_js},
    {"preview.svg", preview_svg, sizeof preview_svg},
    {"run.js", run_js, sizeof run_js},
    {"settings.js", settings_js, sizeof settings_js},
    {"tiles.js", tiles_js, sizeof tiles_js},
    {"viewer.js", viewer_js, sizeof viewer_js},
};

const uint8_t *imghost_embedded_file(const char *name, size_t *count) {
  for (size_t index = 0; index < sizeof files / sizeof *files; index++) {
    if (strcmp(files[index].name, name) != 0) continue;
    *count = files[index].count;
    return files[index].bytes;
  }
  return NULL;
}
