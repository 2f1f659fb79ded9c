// libmicrohttpd for a few small pages. A shim in C: MHD_start_daemon is variadic, which Swift cannot call, and
// the library's many types need not be seen beyond it.
#ifndef CMICROHTTPD_H
#define CMICROHTTPD_H
#include <stddef.h>

// A page. `body` comes from malloc and goes to the library, which frees it; `type` lives as long as the program.
struct http_page {
    unsigned int status;
    const char *type;
    char *body;
    size_t length;
};

// Fills the page of a path, which is decoded and without its question; called on the server's thread.
typedef void (*http_answer)(void *context, const char *path, struct http_page *page);

struct http_limits {
    unsigned int connections;
    // Of a connection on which nothing moves.
    unsigned int idle_seconds;
    // Of a request's line and headers, and of what is sent back at a time.
    size_t connection_bytes;
};

// Serves GET and HEAD on a listening socket from one thread, on which every signal is blocked, until the process
// ends. Everything else is answered 405. NULL when the library refuses, and the socket is still the caller's.
void *http_serve(int listening_socket, struct http_limits limits, http_answer answer, void *context);

// Ends it and the connections, and closes the listening socket. Waits for an answer that is being made.
void http_stop(void *server);

#endif
