#include "load.h"

#include <stdio.h>
#include <string.h>

// Socket.IO 4 over its WebSocket transport, with the server in Benchmarks/Peers/socketio.js. A message
// starts with the type of Engine.IO's packet, then that of Socket.IO's.

static size_t prepare(const struct connection *connection, char *text) {
    if (connection->step == 0) return (size_t)snprintf(text, SCRIPT_LIMIT, "40");
    if (connection->step > 1 || connection->place == 0) return 0;
    return (size_t)snprintf(text, SCRIPT_LIMIT, "420[\"follow\",\"bench-%u\"]", connection->session);
}

static int prepared(const struct connection *connection, const char *line, size_t length) {
    if (starts(line, length, "44")) return REFUSED;
    return starts(line, length, connection->step == 0 ? "40" : "430") ? DONE : LATER;
}

static size_t event(uint32_t session, uint32_t number, uint64_t due, char *text) {
    char body[EVENT_LIMIT / 2 + 64];
    size_t size = plain_event(number, due, body);
    return (size_t)snprintf(
        text, EVENT_LIMIT, "42[\"event\",\"bench-%u\",%.*s]", session, (int)size, body);
}

static struct arrival read(const struct connection *connection, const char *line, size_t length) {
    struct arrival arrival = {.kind = NOTHING, .number = connection->next};
    if (equals(line, length, "2")) arrival.kind = PING;
    else if (starts(line, length, "44")) arrival.kind = REFUSAL;
    else if (mark_read(line, length, &arrival.number, &arrival.due)) arrival.kind = EVENT;
    return arrival;
}

static size_t pong(char *text) {
    *text = '3';
    return 1;
}

static void path(const struct connection *connection, char *text) {
    (void)connection;
    snprintf(text, SCRIPT_LIMIT, "/socket.io/?EIO=4&transport=websocket");
}

const struct dialect socketio_dialect = {
    .name = "socketio", .framing = &websocket_framing, .prepare = prepare, .prepared = prepared,
    .event = event, .read = read, .pong = pong, .path = path};
