#include "load.h"

#include <stdio.h>
#include <string.h>

// NATS. With an answer for each event (`--ack own`) the answers are JetStream's: a stream that keeps the
// subjects `bench.*` must have been made.

static size_t prepare(const struct connection *connection, char *text) {
    static const char hello[] = "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n";
    if (connection->step > 0) return 0;
    const char *subject = connection->place > 0 ? "bench" : options.own ? "answers" : NULL;
    if (!subject) return (size_t)snprintf(text, SCRIPT_LIMIT, "%sPING\r", hello);
    return (size_t)snprintf(text, SCRIPT_LIMIT, "%sSUB %s.%u 1\r\nPING\r", hello, subject, connection->session);
}

static int prepared(const struct connection *connection, const char *line, size_t length) {
    (void)connection;
    if (starts(line, length, "-ERR")) return REFUSED;
    return starts(line, length, "PONG") ? DONE : LATER;
}

static size_t event(uint32_t session, uint32_t number, uint64_t due, char *text) {
    char body[EVENT_LIMIT / 2 + 64], reply[32] = "";
    size_t size = plain_event(number, due, body);
    if (options.own) snprintf(reply, sizeof reply, "answers.%u ", session);
    return (size_t)snprintf(
        text, EVENT_LIMIT, "PUB bench.%u %s%zu\r\n%.*s\r", session, reply, size, (int)size, body);
}

static struct arrival read(const struct connection *connection, const char *line, size_t length) {
    struct arrival arrival = {.kind = NOTHING, .number = connection->next};
    if (starts(line, length, "-ERR")) arrival.kind = REFUSAL;
    else if (starts(line, length, "PING")) arrival.kind = PING;
    else if (connection->place == 0 && starts(line, length, "{\"error\"")) arrival.kind = REFUSAL;
    else if (connection->place == 0) arrival.kind = starts(line, length, "{\"stream\"") ? ANSWER : NOTHING;
    else if (mark_read(line, length, &arrival.number, &arrival.due)) arrival.kind = EVENT;
    return arrival;
}

static size_t pong(char *text) {
    memcpy(text, "PONG\r", 5);
    return 5;
}

const struct dialect nats_dialect = {
    .name = "nats", .framing = &line_framing, .prepare = prepare, .prepared = prepared, .event = event,
    .read = read, .pong = pong};
