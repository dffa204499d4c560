// A frei0r plugin with all types of parameters, two of which have the same name. The pixels of its output contain facts
// about its input, see `update`. Macros change its properties.
#include <frei0r.h>
#include <stdlib.h>
#include <string.h>

#ifndef TYPE
#define TYPE F0R_PLUGIN_TYPE_FILTER
#endif
#ifndef MODEL
#define MODEL F0R_COLOR_MODEL_RGBA8888
#endif

typedef struct {
  unsigned width, height;
  int calls, sets;
  double flag, amount, amount2;
  f0r_param_color_t colour;
  f0r_param_position_t position;
  char *text;
} state;

int f0r_init(void) {
#ifdef INIT_FAILS
  return -1;
#else
  return 1;
#endif
}
void f0r_deinit(void) {}

void f0r_get_plugin_info(f0r_plugin_info_t *info) {
  *info = (f0r_plugin_info_t){.name = "Strange",
      .author = "imghost",
      .plugin_type = TYPE,
      .color_model = MODEL,
      .frei0r_version = FREI0R_MAJOR_VERSION,
      .major_version = 0,
      .minor_version = 7,
      .num_params = 6,
      .explanation = "Tells what it was given.\n"};
#ifdef MANY_PARAMETERS
  info->num_params = 70000;
#endif
}

void f0r_get_param_info(f0r_param_info_t *info, int index) {
  static const f0r_param_info_t all[] = {
      {"Is It On?", F0R_PARAM_BOOL, "whether"},
      {"Amount", F0R_PARAM_DOUBLE, NULL},
      {"amount", F0R_PARAM_DOUBLE, "how much"},
      {"K\xc3\xa9y color", F0R_PARAM_COLOR, ""},
      {"Place", F0R_PARAM_POSITION, "where"},
      {"time", F0R_PARAM_STRING, "words"},
  };
  *info = all[index];
#ifdef BAD_TYPE
  info->type = 9;
#endif
}

f0r_instance_t f0r_construct(unsigned width, unsigned height) {
#ifdef CONSTRUCT_FAILS
  return NULL;
#endif
  state *s = calloc(1, sizeof *s);
  s->width = width, s->height = height;
  s->flag = 1, s->amount = 0.25, s->amount2 = 1.5;
  s->colour = (f0r_param_color_t){1, 0.5f, 0};
  s->position = (f0r_param_position_t){0.5, 0.75};
  s->text = strdup("none");
  return s;
}
void f0r_destruct(f0r_instance_t instance) {
  free(((state *)instance)->text);
  free(instance);
}

void f0r_set_param_value(f0r_instance_t instance, f0r_param_t value, int index) {
  state *s = instance;
  s->sets++;
  switch (index) {
    case 0: s->flag = *(double *)value; break;
    case 1: s->amount = *(double *)value; break;
    case 2: s->amount2 = *(double *)value; break;
    case 3: s->colour = *(f0r_param_color_t *)value; break;
    case 4: s->position = *(f0r_param_position_t *)value; break;
    default: free(s->text), s->text = strdup(*(char **)value);
  }
}
void f0r_get_param_value(f0r_instance_t instance, f0r_param_t value, int index) {
  const state *s = instance;
  switch (index) {
    case 0: *(double *)value = s->flag; break;
    case 1: *(double *)value = s->amount; break;
    case 2: *(double *)value = s->amount2; break;
    case 3: *(f0r_param_color_t *)value = s->colour; break;
    case 4: *(f0r_param_position_t *)value = s->position; break;
    default: *(char **)value = s->text;
  }
}

// Writes fact k into the first byte of pixel k of the first row. The other rows are those of the input.
static void update(state *s, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *out) {
  unsigned char facts[] = {(unsigned char)s->width, (unsigned char)s->height, (unsigned char)++s->calls,
      (unsigned char)s->sets, (unsigned char)(s->flag * 10), (unsigned char)(s->amount * 100),
      (unsigned char)(s->amount2 * 100), (unsigned char)(s->colour.r * 100), (unsigned char)(s->colour.g * 100),
      (unsigned char)(s->position.x * 100), (unsigned char)(s->position.y * 100), (unsigned char)s->text[0],
      (unsigned char)((a != NULL) + (b != NULL) + (c != NULL))};
  for (size_t i = 0; i < (size_t)s->width * s->height; i++) {
    out[i] = a == NULL ? 0xff000000u : a[i];
    if (b != NULL) out[i] ^= b[i] & 0x00ffffffu;
    if (c != NULL) out[i] ^= c[i] & 0x00ffffffu;
  }
  for (size_t i = 0; i < sizeof facts && i < s->width; i++) {
    out[i] = 0xff000000u | facts[i];
  }
}

void f0r_update(f0r_instance_t instance, double time, const uint32_t *in, uint32_t *out) {
  (void)time;
  update(instance, in, NULL, NULL, out);
}
void f0r_update2(
    f0r_instance_t instance, double time, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *out) {
  (void)time;
  update(instance, a, b, c, out);
}
