// The functions of libmicrohttpd, which are loaded when a server starts, so that other commands need not load the
// library.
#pragma once

#include <microhttpd.h>
#include <stdbool.h>

#define CWEB_FUNCTIONS(FIND) \
  FIND(MHD_start_daemon) \
  FIND(MHD_lookup_connection_value) \
  FIND(MHD_get_connection_info) \
  FIND(MHD_suspend_connection) \
  FIND(MHD_resume_connection) \
  FIND(MHD_create_response_from_buffer) \
  FIND(MHD_create_response_from_callback) \
  FIND(MHD_add_response_header) \
  FIND(MHD_queue_response) \
  FIND(MHD_destroy_response)

typedef struct {
#define CWEB_DECLARE(name) __typeof__(&name) name;
  CWEB_FUNCTIONS(CWEB_DECLARE)
#undef CWEB_DECLARE
} CWebLibrary;

extern CWebLibrary cweb_library;

/// Opens the library. Returns NULL, or the name of the missing part.
const char *cweb_load(void);
