#include "CWebServer.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "libraries.h"

// The maximum sizes, in bytes, of a request's body and of the unsent bytes of a stream (`MOST_BODY`), and of the blocks
// in which a stream is sent (`STREAM_BLOCK`). Bodies are settings and hints, which are short.
enum { MOST_BODY = 1 << 20, STREAM_BLOCK = 4096 };

// Any user of the machine can connect. A connection counts as a stranger's until it has requested a path below the
// root. Strangers' connections end after some seconds, and a new one can replace the oldest, so that they cannot block
// the owner's browser, which sends its request at once.
enum { MOST_STRANGERS = 64, MOST_CONNECTIONS = 256, LONGEST_SILENCE = 10 /* seconds */ };

typedef struct Connection {
  struct Connection *next, *previous;
  int socket;
  time_t since;
  bool is_known, is_ended;
} Connection;

struct CWebServer {
  struct MHD_Daemon *daemon;
  CWebHandler handler;
  void *context;
  char *root;
  pthread_mutex_t lock;
  pthread_cond_t has_strangers;
  // The connections, the oldest first.
  Connection connections;
  int stranger_count;
};

struct CWebRequest {
  CWebServer *server;
  struct MHD_Connection *connection;
  const char *method;
  char *path;
  char *body;
  size_t body_count;
  bool is_too_large;
  bool is_known;
  bool is_handed_over;
  // Set by the thread that answers, before it resumes the connection. After that, the server's thread reads them.
  struct MHD_Response *response;
  unsigned status;
};

struct CWebStream {
  pthread_mutex_t lock;
  struct MHD_Connection *connection;
  char *bytes;
  size_t count, room;
  bool is_suspended, is_over, is_cut;  // is_cut: too many bytes wait for a browser that does not read them
  // The server's thread and the sender each have a reference.
  atomic_int references;
};

// MARK: - connections

static time_t seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

static bool is_strangers(const Connection *connection) { return !connection->is_known && !connection->is_ended; }

// Ends at most `most` of the strangers' connections that are at least `age` seconds old. The caller holds the lock.
static void end_old_connections(CWebServer *server, time_t age, int most) {
  time_t now = seconds();
  Connection *all = &server->connections;
  for (Connection *each = all->next; each != all && most > 0; each = each->next) {
    if (!is_strangers(each) || now - each->since < age) continue;
    // The library then closes the connection.
    shutdown(each->socket, SHUT_RDWR);
    each->is_ended = true;
    server->stranger_count--;
    most--;
  }
}

static void *watch_connections(void *context) {
  CWebServer *server = context;
  while (true) {
    pthread_mutex_lock(&server->lock);
    while (server->stranger_count == 0) pthread_cond_wait(&server->has_strangers, &server->lock);
    end_old_connections(server, LONGEST_SILENCE, MOST_CONNECTIONS);
    pthread_mutex_unlock(&server->lock);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  }
}

static void began(CWebServer *server, struct MHD_Connection *connection, void **slot) {
  const union MHD_ConnectionInfo *info =
      cweb_library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  Connection *new = calloc(1, sizeof *new);
  *slot = new;
  if (new == NULL) return;
  new->is_known = info == NULL;
  if (info == NULL) return;
  new->socket = info->connect_fd;
  new->since = seconds();
  pthread_mutex_lock(&server->lock);
  if (server->stranger_count >= MOST_STRANGERS) end_old_connections(server, 0, 1);
  Connection *all = &server->connections;
  new->next = all;
  new->previous = all->previous;
  all->previous->next = new;
  all->previous = new;
  server->stranger_count++;
  pthread_cond_signal(&server->has_strangers);
  pthread_mutex_unlock(&server->lock);
}

// Called when a connection begins, and before it is closed.
static void on_connection(
    void *context, struct MHD_Connection *connection, void **slot, enum MHD_ConnectionNotificationCode code) {
  CWebServer *server = context;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) return began(server, connection, slot);
  Connection *old = *slot;
  *slot = NULL;
  if (old == NULL) return;
  if (old->next != NULL) {
    pthread_mutex_lock(&server->lock);
    if (is_strangers(old)) server->stranger_count--;
    old->previous->next = old->next;
    old->next->previous = old->previous;
    pthread_mutex_unlock(&server->lock);
  }
  free(old);
}

// Marks a connection that has requested a path below the root as known.
static void know_connection(CWebServer *server, struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      cweb_library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  Connection *known = info != NULL ? info->socket_context : NULL;
  if (known == NULL) return;
  pthread_mutex_lock(&server->lock);
  if (is_strangers(known)) {
    server->stranger_count--;
    known->is_known = true;
  }
  pthread_mutex_unlock(&server->lock);
}

// Returns whether a path begins with the root. The comparison takes constant time.
static bool is_below_root(const CWebServer *server, const char *path) {
  size_t count = strlen(server->root);
  if (strlen(path) < count) return false;
  unsigned char difference = 0;
  for (size_t index = 0; index < count; index++) difference |= (unsigned char)(path[index] ^ server->root[index]);
  return difference == 0;
}

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

// Called for the header of a request, for each part of its body, at its end, and again after the answer.
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
    request->is_known = is_below_root(server, url);
    if (request->is_known) know_connection(server, connection);
    *slot = request;
    return request->path != NULL ? MHD_YES : MHD_NO;
  }
  if (*upload_size > 0) {
    bool kept = !request->is_known || add_to_body(request, upload, *upload_size);
    *upload_size = 0;
    return kept ? MHD_YES : MHD_NO;
  }
  if (request->response != NULL) {
    return cweb_library.MHD_queue_response(connection, request->status, request->response);
  }
  if (!request->is_handed_over) {
    request->is_handed_over = true;
    // The connection is suspended before the handler is called, because another thread may answer immediately.
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

// Creates a server and its watcher thread, without starting the HTTP daemon. Returns NULL on failure, with an error
// code in `code`.
static CWebServer *make_server(const char *root, CWebHandler handler, void *context, int *code) {
  *code = ENOMEM;
  CWebServer *server = calloc(1, sizeof *server);
  if (server == NULL) return NULL;
  server->handler = handler;
  server->context = context;
  server->root = strdup(root);
  server->connections.next = server->connections.previous = &server->connections;
  pthread_t watcher;
  if (server->root == NULL || (*code = pthread_mutex_init(&server->lock, NULL)) != 0
      || (*code = pthread_cond_init(&server->has_strangers, NULL)) != 0
      || (*code = pthread_create(&watcher, NULL, watch_connections, server)) != 0) {
    free(server->root);
    free(server);
    return NULL;
  }
  pthread_detach(watcher);
  return server;
}

CWebServer *cweb_start(int socket, const char *root, CWebHandler handler, void *context, const char **problem) {
  if (cweb_load() != NULL) {
    *problem = "libmicrohttpd is missing: apt install libmicrohttpd12";
    return NULL;
  }
  int code;
  CWebServer *server = make_server(root, handler, context, &code);
  if (server == NULL) {
    *problem = strerror(code);
    return NULL;
  }
  server->daemon = cweb_library.MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_SUSPEND_RESUME, 0, NULL, NULL,
      on_access, server, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
      MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
      MHD_OPTION_END);
  if (server->daemon == NULL) {
    // The server is not freed, because its thread may still use it; the program exits anyway.
    *problem = strerror(errno);
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

bool cweb_is_known(const CWebRequest *request) { return request->is_known; }

bool cweb_is_too_large(const CWebRequest *request) { return request->is_too_large; }

// Returns whether the browser has closed a connection, which the library does not check during a suspension.
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

static void answer(CWebRequest *request, unsigned status, struct MHD_Response *response, const CWebHeader *headers,
    size_t header_count) {
  if (response == NULL) abort();
  for (size_t index = 0; index < header_count; index++) {
    cweb_library.MHD_add_response_header(response, headers[index].name, headers[index].value);
  }
  if (!request->is_known) cweb_library.MHD_add_response_header(response, "Connection", "close");
  request->status = status;
  request->response = response;
  cweb_library.MHD_resume_connection(request->connection);
}

void cweb_answer(CWebRequest *request, unsigned status, const CWebHeader *headers, size_t header_count,
    const void *bytes, size_t count) {
  struct MHD_Response *response =
      cweb_library.MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
  answer(request, status, response, headers, header_count);
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
  ssize_t result = (ssize_t)count;
  if (count == 0 && stream->is_cut) {
    // The browser reconnects, and receives the current state.
    result = MHD_CONTENT_READER_END_WITH_ERROR;
  } else if (count == 0) {
    stream->is_suspended = true;
    cweb_library.MHD_suspend_connection(stream->connection);
  }
  pthread_mutex_unlock(&stream->lock);
  return result;
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
  answer(request, MHD_HTTP_OK, response, headers, header_count);
  return stream;
}

bool cweb_send(CWebStream *stream, const void *bytes, size_t count) {
  pthread_mutex_lock(&stream->lock);
  if (stream->count + count > MOST_BODY) stream->is_cut = true;
  bool may_be_there = !stream->is_over && !stream->is_cut && !(stream->is_suspended && is_gone(stream->connection));
  if (may_be_there) {
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
  // Resuming also lets the library detect that the browser is gone.
  if (!stream->is_over && stream->is_suspended) {
    stream->is_suspended = false;
    cweb_library.MHD_resume_connection(stream->connection);
  }
  pthread_mutex_unlock(&stream->lock);
  return may_be_there;
}
