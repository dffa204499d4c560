// A plugin with one parameter of each type, which reports the values that it got as its error.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imghost_plugin.h"

static const imghost_host *host;
static const char *const choices[] = {"low", "high", NULL};

#define PARAMETER(id, kind) .struct_size = sizeof(imghost_parameter), .name = id, .type = IMGHOST_TYPE_##kind

static const imghost_parameter parameters[] = {
    {PARAMETER("flag", BOOL), .default_value.numbers = {1}, .help = "A flag"},
    {PARAMETER("count", INT), .minimum = -5, .maximum = 5, .default_value.numbers = {2}, .label = "How many",
        .group = "Numbers", .step = 2},
    {PARAMETER("amount", FLOAT), .maximum = 2.5, .default_value.numbers = {0.5}, .unit = "px", .group = "Numbers",
        .step = 0.25},
    {PARAMETER("level", ENUM), .choices = choices, .default_value.numbers = {1}},
    {PARAMETER("tint", COLOUR), .default_value.numbers = {1, 0, 0, 1}},
    {PARAMETER("words", STRING), .default_value.text = "none"},
    {PARAMETER("place", POINT), .minimum = -1, .maximum = 1, .default_value.numbers = {0.25, -1}},
};

static void *create(const imghost_call *call, const imghost_value *v, uint32_t count) {
  char text[400];
  snprintf(text, sizeof text, "got %u: %g %g %g %g (%g %g %g %g) '%s' (%g %g)%s", count, v[0].numbers[0],
      v[1].numbers[0], v[2].numbers[0], v[3].numbers[0], v[4].numbers[0], v[4].numbers[1], v[4].numbers[2],
      v[4].numbers[3], v[5].text, v[6].numbers[0], v[6].numbers[1], v[0].text == NULL ? "" : " and a text too many");
  host->set_error(call, text);
  return NULL;
}
static void destroy(void *instance) { (void)instance; }
static int32_t process(void *instance, const imghost_request *request) {
  (void)instance, (void)request;
  return IMGHOST_FAILED;
}

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = 1,
    .kind = IMGHOST_KIND_FILTER,
    .name = "echo",
    .version = "2.1",
    .summary = "Says what it was given",
    .samples = 1u << 1 | 1u << 3,
    .bands = 1u << 3 | 1u << 4,
    .alpha = 1,
    .extent = IMGHOST_EXTENT_ROWS,
    .padding = 3,
    .flags = IMGHOST_FLAG_DETERMINISTIC,
    .parameter_size = sizeof(imghost_parameter),
    .parameter_count = 7,
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .process = process,
};

const imghost_plugin *imghost_plugin_entry(uint32_t version, const imghost_host *functions) {
  host = functions;
  return version == 1 && functions->struct_size >= sizeof *functions ? &plugin : NULL;
}
