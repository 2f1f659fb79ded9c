#define _GNU_SOURCE
#include <microhttpd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "CMicroHTTPD.h"

struct server {
    struct MHD_Daemon *daemon;
    http_answer answer;
    void *context;
};

static const char refusal[] = "only GET and HEAD are served here\n";

static enum MHD_Result reply(struct MHD_Connection *connection, const struct server *server, const char *path,
                             const char *method) {
    struct http_page page = {MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain; charset=utf-8", NULL, 0};
    const int is_read = strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    struct MHD_Response *response;
    if (is_read) {
        server->answer(server->context, path, &page);
        response = MHD_create_response_from_buffer(page.length, page.body, MHD_RESPMEM_MUST_FREE);
        if (response == NULL) {
            free(page.body);
        }
    } else {
        response = MHD_create_response_from_buffer(sizeof refusal - 1, (void *)refusal, MHD_RESPMEM_PERSISTENT);
    }
    if (response == NULL) {
        // Out of memory: the connection is closed.
        return MHD_NO;
    }
    enum MHD_Result result = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, page.type);
    if (result == MHD_YES && !is_read) {
        result = MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    }
    // Of HEAD the library sends the headers alone.
    if (result == MHD_YES) {
        result = MHD_queue_response(connection, page.status, response);
    }
    MHD_destroy_response(response);
    return result;
}

// Answered at the headers already: what somebody uploads is neither waited for nor read, and the connection
// ends with the answer, so that nobody keeps one of the few.
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload, size_t *upload_bytes,
                              void **request) {
    (void)version, (void)upload, (void)upload_bytes, (void)request;
    return reply(connection, context, path, method);
}

void *http_serve(int listening_socket, struct http_limits limits, http_answer answer, void *context) {
    struct server *server = malloc(sizeof *server);
    if (server == NULL) {
        return NULL;
    }
    *server = (struct server){NULL, answer, context};
    // The library's thread inherits the mask: signals belong to the thread that waits for them.
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    server->daemon = MHD_start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, handle, server,
        MHD_OPTION_LISTEN_SOCKET, listening_socket, MHD_OPTION_CONNECTION_LIMIT, limits.connections,
        MHD_OPTION_CONNECTION_TIMEOUT, limits.idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        limits.connection_bytes, MHD_OPTION_THREAD_STACK_SIZE, (size_t)256 << 10, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    if (server->daemon == NULL) {
        free(server);
        return NULL;
    }
    return server;
}

void http_stop(void *opaque) {
    struct server *server = opaque;
    MHD_stop_daemon(server->daemon);
    free(server);
}
