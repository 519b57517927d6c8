#pragma once

// The floor of the benchmarks: the least that a server must do which passes on a publisher's lines
// to a session's subscribers. No JSON, no state, no history.
//
//     client → PUB <session>          the connection publishes: each further line is an event
//     client → PUB <session> ack      the same, and each event is answered with the line `ack`
//     client → SUB <session>          the connection receives the session's events
//     server ← ready
//
// One thread, one loop. What a connection gets in one loop turn leaves in one write. With a journal
// the turn's events are appended to it and synced once before any of them is passed on.

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

enum {
    // A longer line ends its connection.
    LINE_LIMIT = 64 * 1024,
    // A reader that lets more pile up is disconnected.
    OUTBOUND_LIMIT = 1024 * 1024,
    // Events of one turn beyond this are committed before the turn ends.
    TURN_LIMIT = 4 * 1024 * 1024,
    SESSION_LIMIT = 100 * 1000,
    SESSION_NAME_LIMIT = 128,
};

// Bytes that grow and are kept; emptying one frees nothing.
struct buffer {
    char *bytes;
    size_t count, capacity;
};

struct connection;

// A name and who listens to it; kept until the program ends.
struct session {
    struct session *next;
    struct connection **subscribers;
    size_t count, capacity;
    char name[SESSION_NAME_LIMIT + 1];
};

enum role { UNKNOWN, PUBLISHER, SUBSCRIBER };

struct connection {
    uv_tcp_t tcp;
    uv_write_t request;
    enum role role;
    bool acknowledges; // the publisher wants answers
    bool writing;      // `flight` belongs to the loop
    bool closing;
    bool waiting; // in the list of connections with something to write
    struct connection *next_waiting;
    struct session *session;
    size_t place; // the subscriber's index in its session
    struct buffer input;  // the start of a line whose end has not come yet
    struct buffer queued; // what the next write takes
    struct buffer flight; // what a partial write left to the loop
};

// buffer.c: both end the program when there is no memory.
void buffer_append(struct buffer *buffer, const char *bytes, size_t count);
void *allocate(void *old, size_t bytes);

// connection.c
void connection_accept(uv_stream_t *listener, int status);
void connection_queue(struct connection *connection, const char *bytes, size_t count);
void connection_close(struct connection *connection);
void connections_flush(void);

// session.c: null when there are too many sessions or the name is empty or too long.
struct session *session_named(const char *name, size_t length);
void session_add(struct session *session, struct connection *subscriber);
void session_remove(struct connection *subscriber);

// turn.c
void turn_open(const char *journal);
void turn_event(struct connection *publisher, const char *line, size_t length);
void turn_end(void);
