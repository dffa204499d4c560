// A small web server for browsers on this machine. Wraps libmicrohttpd, which is loaded when the server starts.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct CWebServer CWebServer;
/// A request. The code that receives it must answer it, and the answer frees it.
typedef struct CWebRequest CWebRequest;
/// A stream of events to one browser, which is freed by `cweb_stream_release`.
typedef struct CWebStream CWebStream;

/// Called on the server's thread with a complete request, which must be answered exactly once, now or later.
typedef void (*CWebHandler)(void *context, CWebRequest *request);

/// Starts a server on a listening socket.
///
/// `root` is the common prefix of the page's paths, including its secret token. A connection that requests another
/// path, or nothing within some seconds, is closed, so that other users of the machine cannot use up the connections.
///
/// - Returns: the server; NULL with `problem` set to a clause for the user.
CWebServer *cweb_start(int socket, const char *root, CWebHandler handler, void *context, const char **problem);

const char *cweb_method(const CWebRequest *request);
/// Returns the path without its query.
const char *cweb_path(const CWebRequest *request);
/// Returns a header by its name; NULL if there is none.
const char *cweb_header(const CWebRequest *request, const char *name);
/// Returns a value of the query by its name; NULL if there is none.
const char *cweb_argument(const CWebRequest *request, const char *name);
const void *cweb_body(const CWebRequest *request, size_t *count);
/// Returns whether the path begins with the root. Bodies of other requests are discarded.
bool cweb_is_known(const CWebRequest *request);
/// Returns whether the body was larger than the maximum.
bool cweb_is_too_large(const CWebRequest *request);
/// Returns whether the browser has closed the connection. May be called on any thread.
bool cweb_is_gone(const CWebRequest *request);

/// A header of an answer.
typedef struct {
  const char *name;
  const char *value;
} CWebHeader;

/// Answers a request with bytes, which are copied. May be called on any thread.
void cweb_answer(CWebRequest *request, unsigned status, const CWebHeader *headers, size_t header_count,
    const void *bytes, size_t count);

/// Answers a request with a stream that stays open. May be called on any thread. The caller releases the stream.
CWebStream *cweb_answer_stream(CWebRequest *request, const CWebHeader *headers, size_t header_count);
/// Sends bytes, which are copied. May be called on any thread.
///
/// - Returns: whether the stream is still open; false if the browser is gone, or if too many bytes wait for it.
bool cweb_send(CWebStream *stream, const void *bytes, size_t count);
void cweb_stream_release(CWebStream *stream);
