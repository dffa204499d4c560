#include "CGLibMessages.h"

#include <glib.h>
#include <string.h>

enum { most = 16 };

/// The host, and the call that the thread is serving.
static _Thread_local const imghost_host *host;
static _Thread_local const imghost_call *call;
static _Thread_local int count;
static GLogFunc before;

// Returns the text of a poppler message after its position, as in "Syntax error at position -1: Unknown font", so that
// the host can recognise messages that differ only in their position.
static const char *without_place(const char *message) {
  const char *place = strstr(message, " at position ");
  const char *end = place ? strstr(place, ": ") : NULL;
  return end ? end + 2 : message;
}

static void tell(const gchar *domain, GLogLevelFlags level, const gchar *message) {
  int is_warning = (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) != 0;
  int is_poppler = domain && strcmp(domain, "Poppler") == 0;
  // What poppler calls a syntax warning does not affect its output.
  if (!is_warning && (!is_poppler || strncmp(message, "Syntax warning", 14) == 0)) return;
  if (count++ >= most) return;
  char text[512];
  g_snprintf(text, sizeof text, "%s: %s", domain ? domain : "GLib", without_place(message));
  g_strchomp(text);
  // Poppler's internal errors come from cairo, and may leave a font in an error state. After a WARNING, the host passes
  // the next file to a fresh process.
  int lasts = is_warning || strncmp(message, "Internal error", 14) == 0;
  host->log(call, lasts ? IMGHOST_LOG_WARNING : IMGHOST_LOG_FILE, text);
}

static void take(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {
  if (call && message) {
    tell(domain, level, message);
  } else {
    before(domain, level, message, data);
  }
}

static const char *field(const GLogField *fields, gsize field_count, const char *key) {
  for (gsize i = 0; i < field_count; i++) {
    if (strcmp(fields[i].key, key) == 0 && fields[i].length < 0) return fields[i].value;
  }
  return NULL;
}

// Receives structured messages, such as Pango's.
static GLogWriterOutput take_fields(GLogLevelFlags level, const GLogField *fields, gsize field_count, gpointer data) {
  const char *message = field(fields, field_count, "MESSAGE");
  if (!call || !message) return g_log_writer_default(level, fields, field_count, data);
  tell(field(fields, field_count, "GLIB_DOMAIN"), level, message);
  return G_LOG_WRITER_HANDLED;
}

// GLib aborts the process if a second writer function is set, and with `--in-process` another plugin may contain a copy
// of this code.
static void install(void) {
  static const char mark[] = "imghost-takes-messages";
  before = g_log_set_default_handler(take, NULL);
  if (g_quark_try_string(mark) != 0) return;
  g_quark_from_static_string(mark);
  g_log_set_writer_func(take_fields, NULL, NULL);
}

void cglib_messages_begin(const imghost_host *its_host, const imghost_call *its_call) {
  static gsize is_installed;
  if (g_once_init_enter(&is_installed)) {
    install();
    g_once_init_leave(&is_installed, 1);
  }
  host = its_host;
  call = its_call;
  count = 0;
}

void cglib_messages_end(void) { call = NULL; }
