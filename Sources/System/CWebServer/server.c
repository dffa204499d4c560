#include "CWebServer.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "libraries.h"

// Settings and hints are short; a page with thousands of keys on screen is not meant to be.
enum { MOST_BODY = 1 << 20, STREAM_BLOCK = 4096 };

struct CWebServer {
  struct MHD_Daemon *daemon;
  CWebHandler handler;
  void *context;
};

struct CWebRequest {
  CWebServer *server;
  struct MHD_Connection *connection;
  const char *method;
  char *path;
  char *body;
  size_t body_count;
  bool is_too_large;
  bool is_handed_over;
  // Set by the thread that answers, before it resumes the connection, and read by the server's thread after that.
  struct MHD_Response *response;
  unsigned status;
};

struct CWebStream {
  pthread_mutex_t lock;
  struct MHD_Connection *connection;
  char *bytes;
  size_t count, room;
  bool is_suspended, is_over, is_cut;  // is_cut: the browser does not read
  // The server's thread and the sender hold one each.
  atomic_int references;
};

// MARK: - requests

static void free_request(CWebRequest *request) {
  if (request->response != NULL) cweb_library.MHD_destroy_response(request->response);
  free(request->path);
  free(request->body);
  free(request);
}

static bool add_to_body(CWebRequest *request, const char *bytes, size_t count) {
  if (request->body_count + count > MOST_BODY) {
    request->is_too_large = true;
    return true;
  }
  char *grown = realloc(request->body, request->body_count + count);
  if (grown == NULL) return false;
  memcpy(grown + request->body_count, bytes, count);
  request->body = grown;
  request->body_count += count;
  return true;
}

// Called for the header of a request, for each part of its body, at its end, and again after it was answered.
static enum MHD_Result on_access(void *context, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *upload, size_t *upload_size, void **slot) {
  (void)version;
  CWebServer *server = context;
  CWebRequest *request = *slot;
  if (request == NULL) {
    request = calloc(1, sizeof *request);
    if (request == NULL) return MHD_NO;
    request->server = server;
    request->connection = connection;
    request->method = method;
    request->path = strdup(url);
    *slot = request;
    return request->path != NULL ? MHD_YES : MHD_NO;
  }
  if (*upload_size > 0) {
    bool kept = add_to_body(request, upload, *upload_size);
    *upload_size = 0;
    return kept ? MHD_YES : MHD_NO;
  }
  if (request->response != NULL) {
    return cweb_library.MHD_queue_response(connection, request->status, request->response);
  }
  if (!request->is_handed_over) {
    request->is_handed_over = true;
    // Before the handler knows of it: the answer may come from another thread at once.
    cweb_library.MHD_suspend_connection(connection);
    server->handler(server->context, request);
  }
  return MHD_YES;
}

static void on_completed(
    void *context, struct MHD_Connection *connection, void **slot, enum MHD_RequestTerminationCode code) {
  (void)context, (void)connection, (void)code;
  if (*slot != NULL) free_request(*slot);
  *slot = NULL;
}

CWebServer *cweb_start(int socket, CWebHandler handler, void *context, const char **problem) {
  const char *missing = cweb_load();
  if (missing != NULL) {
    *problem = "libmicrohttpd is missing: apt install libmicrohttpd12";
    return NULL;
  }
  CWebServer *server = calloc(1, sizeof *server);
  if (server == NULL) {
    *problem = "there is no memory";
    return NULL;
  }
  server->handler = handler;
  server->context = context;
  server->daemon = cweb_library.MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_SUSPEND_RESUME, 0, NULL, NULL,
      on_access, server, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
      MHD_OPTION_CONNECTION_LIMIT, 64u, MHD_OPTION_END);
  if (server->daemon == NULL) {
    *problem = strerror(errno);
    free(server);
    return NULL;
  }
  return server;
}

const char *cweb_method(const CWebRequest *request) { return request->method; }
const char *cweb_path(const CWebRequest *request) { return request->path; }

const char *cweb_header(const CWebRequest *request, const char *name) {
  return cweb_library.MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const char *cweb_argument(const CWebRequest *request, const char *name) {
  return cweb_library.MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

const void *cweb_body(const CWebRequest *request, size_t *count) {
  *count = request->body_count;
  return request->body;
}

bool cweb_is_too_large(const CWebRequest *request) { return request->is_too_large; }

// The library does not look at a connection while it is suspended.
static bool is_gone(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      cweb_library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  char byte;
  if (info == NULL) return false;
  ssize_t count = recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

bool cweb_is_gone(const CWebRequest *request) { return is_gone(request->connection); }

// MARK: - answers

static void add_headers(struct MHD_Response *response, const CWebHeader *headers, size_t count) {
  for (size_t index = 0; index < count; index++) {
    cweb_library.MHD_add_response_header(response, headers[index].name, headers[index].value);
  }
}

static void answer(CWebRequest *request, unsigned status, struct MHD_Response *response) {
  request->status = status;
  request->response = response;
  cweb_library.MHD_resume_connection(request->connection);
}

void cweb_answer(CWebRequest *request, unsigned status, const CWebHeader *headers, size_t header_count,
    const void *bytes, size_t count) {
  struct MHD_Response *response =
      cweb_library.MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
  if (response == NULL) abort();
  add_headers(response, headers, header_count);
  answer(request, status, response);
}

// MARK: - streams

void cweb_stream_release(CWebStream *stream) {
  if (atomic_fetch_sub(&stream->references, 1) > 1) return;
  pthread_mutex_destroy(&stream->lock);
  free(stream->bytes);
  free(stream);
}

static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t most) {
  (void)position;
  CWebStream *stream = context;
  pthread_mutex_lock(&stream->lock);
  size_t count = stream->count < most ? stream->count : most;
  memcpy(buffer, stream->bytes, count);
  memmove(stream->bytes, stream->bytes + count, stream->count - count);
  stream->count -= count;
  if (count == 0 && stream->is_cut) {
    pthread_mutex_unlock(&stream->lock);
    // The browser connects again, and learns what it has missed.
    return MHD_CONTENT_READER_END_WITH_ERROR;
  }
  if (count == 0) {
    stream->is_suspended = true;
    cweb_library.MHD_suspend_connection(stream->connection);
  }
  pthread_mutex_unlock(&stream->lock);
  return (ssize_t)count;
}

static void end_stream(void *context) {
  CWebStream *stream = context;
  pthread_mutex_lock(&stream->lock);
  stream->is_over = true;
  pthread_mutex_unlock(&stream->lock);
  cweb_stream_release(stream);
}

CWebStream *cweb_answer_stream(CWebRequest *request, const CWebHeader *headers, size_t header_count) {
  CWebStream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) abort();
  pthread_mutex_init(&stream->lock, NULL);
  stream->connection = request->connection;
  atomic_store(&stream->references, 2);
  struct MHD_Response *response =
      cweb_library.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, stream, end_stream);
  if (response == NULL) abort();
  add_headers(response, headers, header_count);
  answer(request, MHD_HTTP_OK, response);
  return stream;
}

bool cweb_send(CWebStream *stream, const void *bytes, size_t count) {
  pthread_mutex_lock(&stream->lock);
  if (stream->count + count > MOST_BODY) stream->is_cut = true;
  bool may_be_there = !stream->is_over && !stream->is_cut;
  if (may_be_there && stream->is_suspended && is_gone(stream->connection)) may_be_there = false;
  if (!stream->is_over && may_be_there) {
    if (stream->count + count > stream->room) {
      size_t room = 2 * (stream->count + count);
      char *grown = realloc(stream->bytes, room);
      if (grown == NULL) abort();
      stream->bytes = grown;
      stream->room = room;
    }
    memcpy(stream->bytes + stream->count, bytes, count);
    stream->count += count;
  }
  // Also to let the library see that the browser is gone.
  if (!stream->is_over && stream->is_suspended) {
    stream->is_suspended = false;
    cweb_library.MHD_resume_connection(stream->connection);
  }
  pthread_mutex_unlock(&stream->lock);
  return may_be_there;
}
