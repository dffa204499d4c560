// The files of the preview's page, as constants of the program.
//
// An array of Swift's has a header that the loader writes at every start: for these files that was 17 pages of memory.
#include "CPreviewPage.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char preview_html[] = {
#embed "preview.html"
};
static const unsigned char preview_css[] = {
#embed "preview.css"
};
static const unsigned char preview_svg[] = {
#embed "preview.svg"
};
static const unsigned char comparison_js[] = {
#embed "comparison.js"
};
static const unsigned char connection_js[] = {
#embed "connection.js"
};
static const unsigned char elements_js[] = {
#embed "elements.js"
};
static const unsigned char inspector_js[] = {
#embed "inspector.js"
};
static const unsigned char layouts_js[] = {
#embed "layouts.js"
};
static const unsigned char messages_js[] = {
#embed "messages.js"
};
static const unsigned char outputs_js[] = {
#embed "outputs.js"
};
static const unsigned char pictures_js[] = {
#embed "pictures.js"
};
static const unsigned char plan_js[] = {
#embed "plan.js"
};
static const unsigned char preview_js[] = {
#embed "preview.js"
};
static const unsigned char run_js[] = {
#embed "run.js"
};
static const unsigned char settings_js[] = {
#embed "settings.js"
};
static const unsigned char tiles_js[] = {
#embed "tiles.js"
};
static const unsigned char viewer_js[] = {
#embed "viewer.js"
};

#define FILE_NAMED(text, array) \
  if (strcmp(name, text) == 0) { \
    *count = sizeof array; \
    return array; \
  }

const unsigned char *cpreview_file(const char *name, size_t *count) {
  FILE_NAMED("preview.html", preview_html)
  FILE_NAMED("preview.css", preview_css)
  FILE_NAMED("preview.svg", preview_svg)
  FILE_NAMED("comparison.js", comparison_js)
  FILE_NAMED("connection.js", connection_js)
  FILE_NAMED("elements.js", elements_js)
  FILE_NAMED("inspector.js", inspector_js)
  FILE_NAMED("layouts.js", layouts_js)
  FILE_NAMED("messages.js", messages_js)
  FILE_NAMED("outputs.js", outputs_js)
  FILE_NAMED("pictures.js", pictures_js)
  FILE_NAMED("plan.js", plan_js)
  FILE_NAMED("preview.js", preview_js)
  FILE_NAMED("run.js", run_js)
  FILE_NAMED("settings.js", settings_js)
  FILE_NAMED("tiles.js", tiles_js)
  FILE_NAMED("viewer.js", viewer_js)
  return NULL;
}
