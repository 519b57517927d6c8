#include "floor.h"

#include <stdlib.h>
#include <string.h>

static struct connection *waiting;

static void closed(uv_handle_t *handle) {
    struct connection *connection = handle->data;
    free(connection->input.bytes);
    free(connection->queued.bytes);
    free(connection->flight.bytes);
    free(connection);
}

void connection_close(struct connection *connection) {
    if (connection->closing) return;
    connection->closing = true;
    if (connection->role == SUBSCRIBER) session_remove(connection);
    uv_close((uv_handle_t *)&connection->tcp, closed);
}

void connection_queue(struct connection *connection, const char *bytes, size_t count) {
    if (connection->closing) return;
    if (connection->queued.count + count > OUTBOUND_LIMIT) {
        connection_close(connection);
        return;
    }
    buffer_append(&connection->queued, bytes, count);
    if (connection->waiting) return;
    connection->waiting = true;
    connection->next_waiting = waiting;
    waiting = connection;
}

static void flush(struct connection *connection);

static void wrote(uv_write_t *request, int status) {
    struct connection *connection = request->data;
    connection->writing = false;
    connection->flight.count = 0;
    if (status < 0) connection_close(connection);
    flush(connection);
}

// Writes at once what the socket takes; the loop writes the rest when the socket takes more.
static void flush(struct connection *connection) {
    struct buffer *queued = &connection->queued;
    if (connection->closing || connection->writing || queued->count == 0) return;
    uv_stream_t *stream = (uv_stream_t *)&connection->tcp;
    uv_buf_t all = uv_buf_init(queued->bytes, (unsigned)queued->count);
    int written = uv_try_write(stream, &all, 1);
    if (written == UV_EAGAIN) written = 0;
    if (written < 0) {
        connection_close(connection);
        return;
    }
    if ((size_t)written == queued->count) {
        queued->count = 0;
        return;
    }
    struct buffer rest = *queued;
    *queued = connection->flight;
    connection->flight = rest;
    connection->writing = true;
    connection->request.data = connection;
    uv_buf_t left = uv_buf_init(rest.bytes + written, (unsigned)(rest.count - (size_t)written));
    if (uv_write(&connection->request, stream, &left, 1, wrote) < 0) connection_close(connection);
}

void connections_flush(void) {
    while (waiting) {
        struct connection *connection = waiting;
        waiting = connection->next_waiting;
        connection->waiting = false;
        flush(connection);
    }
}

// The first line says what the connection is. False ends the connection.
static bool introduce(struct connection *connection, const char *line, size_t length) {
    if (length < 5 || line[3] != ' ') return false;
    enum role role = memcmp(line, "PUB", 3) == 0   ? PUBLISHER
                     : memcmp(line, "SUB", 3) == 0 ? SUBSCRIBER
                                                   : UNKNOWN;
    const char *name = line + 4;
    size_t rest = length - 4;
    if (role == PUBLISHER && rest > 4 && memcmp(name + rest - 4, " ack", 4) == 0) {
        connection->acknowledges = true;
        rest -= 4;
    }
    connection->session = session_named(name, rest);
    if (role == UNKNOWN || !connection->session) return false;
    connection->role = role;
    if (role == SUBSCRIBER) session_add(connection->session, connection);
    connection_queue(connection, "ready\n", 6);
    return true;
}

// Takes the whole lines and returns how many bytes they were.
static size_t take_lines(struct connection *connection, const char *bytes, size_t count) {
    size_t taken = 0;
    const char *end;
    while (!connection->closing && (end = memchr(bytes + taken, '\n', count - taken))) {
        const char *line = bytes + taken;
        size_t length = (size_t)(end - line);
        taken += length + 1;
        if (connection->role == PUBLISHER)
            turn_event(connection, line, length + 1);
        else if (connection->role == SUBSCRIBER || !introduce(connection, line, length))
            connection_close(connection);
    }
    return taken;
}

static void received(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    struct connection *connection = stream->data;
    if (count <= 0) {
        if (count < 0) connection_close(connection);
        return;
    }
    struct buffer *input = &connection->input;
    if (input->count == 0) {
        size_t taken = take_lines(connection, buffer->base, (size_t)count);
        buffer_append(input, buffer->base + taken, (size_t)count - taken);
    } else {
        buffer_append(input, buffer->base, (size_t)count);
        size_t taken = take_lines(connection, input->bytes, input->count);
        input->count -= taken;
        memmove(input->bytes, input->bytes + taken, input->count);
    }
    if (input->count > LINE_LIMIT) connection_close(connection);
}

// One buffer serves all: what was read is used up before the next read.
static void lend(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    static char bytes[64 * 1024];
    (void)handle, (void)suggested;
    *buffer = uv_buf_init(bytes, sizeof bytes);
}

void connection_accept(uv_stream_t *listener, int status) {
    if (status < 0) return;
    struct connection *connection = allocate(NULL, sizeof *connection);
    *connection = (struct connection){0};
    uv_tcp_init(listener->loop, &connection->tcp);
    connection->tcp.data = connection;
    if (uv_accept(listener, (uv_stream_t *)&connection->tcp) < 0 ||
        uv_tcp_nodelay(&connection->tcp, 1) < 0 ||
        uv_read_start((uv_stream_t *)&connection->tcp, lend, received) < 0)
        connection_close(connection);
}
