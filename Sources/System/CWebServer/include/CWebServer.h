// A small web server on a socket of this machine: libmicrohttpd, opened when the server starts.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct CWebServer CWebServer;
/// A request. It belongs to the code that got it until that answers it, and is gone after the answer.
typedef struct CWebRequest CWebRequest;
/// A stream of events to one browser. Gone after `cweb_stream_release`.
typedef struct CWebStream CWebStream;

/// Called on the server's thread, with a request that is complete. It must be answered once, now or later.
typedef void (*CWebHandler)(void *context, CWebRequest *request);

/// Starts a server on a socket that listens.
///
/// `root` is the beginning of the paths of the page, with its secret word. A connection that asks for another one, or
/// for nothing within some seconds, is closed: other users of the machine cannot use up the connections.
///
/// - Returns: NULL with `problem` set to a clause for the user.
CWebServer *cweb_start(int socket, const char *root, CWebHandler handler, void *context, const char **problem);

const char *cweb_method(const CWebRequest *request);
/// The path without its query.
const char *cweb_path(const CWebRequest *request);
/// A header by its name; NULL if there is none.
const char *cweb_header(const CWebRequest *request, const char *name);
/// A value of the query by its name; NULL if there is none.
const char *cweb_argument(const CWebRequest *request, const char *name);
const void *cweb_body(const CWebRequest *request, size_t *count);
/// Whether the path begins with the root. Bodies of other requests are not kept.
bool cweb_is_known(const CWebRequest *request);
/// Whether the body was larger than the server takes.
bool cweb_is_too_large(const CWebRequest *request);
/// Whether the browser has closed the connection. From any thread.
bool cweb_is_gone(const CWebRequest *request);

/// A header of an answer.
typedef struct {
  const char *name;
  const char *value;
} CWebHeader;

/// Answers a request with bytes, which are copied. From any thread.
void cweb_answer(CWebRequest *request, unsigned status, const CWebHeader *headers, size_t header_count,
    const void *bytes, size_t count);

/// Answers a request with a stream that stays open. From any thread. The caller releases the stream.
CWebStream *cweb_answer_stream(CWebRequest *request, const CWebHeader *headers, size_t header_count);
/// Sends bytes, which are copied. From any thread.
///
/// - Returns: Whether the browser may still be there.
bool cweb_send(CWebStream *stream, const void *bytes, size_t count);
void cweb_stream_release(CWebStream *stream);
