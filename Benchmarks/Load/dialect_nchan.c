#include "load.h"

#include <stdio.h>

// Nchan: a WebSocket for each publisher and each subscriber, and messages passed on as they are.

static size_t prepare(const struct connection *connection, char *text) {
    (void)connection, (void)text;
    return 0;
}

static int prepared(const struct connection *connection, const char *line, size_t length) {
    (void)connection, (void)line, (void)length;
    return REFUSED;
}

static size_t event(uint32_t session, uint32_t number, uint64_t due, char *text) {
    (void)session;
    return plain_event(number, due, text);
}

// A publisher is told of each message how many read it.
static struct arrival read(const struct connection *connection, const char *line, size_t length) {
    struct arrival arrival = {.kind = NOTHING, .number = connection->next};
    if (connection->place == 0) arrival.kind = starts(line, length, "queued messages:") ? ANSWER : NOTHING;
    else if (mark_read(line, length, &arrival.number, &arrival.due)) arrival.kind = EVENT;
    return arrival;
}

static void path(const struct connection *connection, char *text) {
    snprintf(text, SCRIPT_LIMIT, "/%s/%u", connection->place == 0 ? "pub" : "sub", connection->session);
}

const struct dialect nchan_dialect = {
    .name = "nchan", .framing = &websocket_framing, .prepare = prepare, .prepared = prepared,
    .event = event, .read = read, .path = path};
