#include "load.h"

#include <stdio.h>
#include <string.h>

// Redis (RESP 2). Events hold no line feed, so an answer can be read line by line. With an answer for
// each event (`--ack own`) the event is also added to a stream, and is in the append-only file, if the
// server has one, before the answer to PUBLISH comes.

static size_t prepare(const struct connection *connection, char *text) {
    if (connection->step > 0) return 0;
    if (connection->place == 0) return (size_t)snprintf(text, SCRIPT_LIMIT, "PING\r");
    return (size_t)snprintf(text, SCRIPT_LIMIT, "SUBSCRIBE bench-%u\r", connection->session);
}

static int prepared(const struct connection *connection, const char *line, size_t length) {
    if (starts(line, length, "-")) return REFUSED;
    return starts(line, length, connection->place == 0 ? "+PONG" : ":1") ? DONE : LATER;
}

static size_t event(uint32_t session, uint32_t number, uint64_t due, char *text) {
    char body[EVENT_LIMIT / 2 + 64], channel[32];
    size_t size = plain_event(number, due, body);
    int name = snprintf(channel, sizeof channel, "bench-%u", session), length = 0;
    if (options.own)
        length = snprintf(
            text, EVENT_LIMIT,
            "*8\r\n$4\r\nXADD\r\n$%d\r\ne-%s\r\n$6\r\nMAXLEN\r\n$1\r\n~\r\n$4\r\n1000\r\n$1\r\n*\r\n"
            "$1\r\nd\r\n$%zu\r\n%.*s\r\n",
            name + 2, channel, size, (int)size, body);
    length += snprintf(
        text + length, EVENT_LIMIT - (size_t)length,
        "*3\r\n$7\r\nPUBLISH\r\n$%d\r\n%s\r\n$%zu\r\n%.*s\r", name, channel, size, (int)size, body);
    return (size_t)length;
}

static struct arrival read(const struct connection *connection, const char *line, size_t length) {
    struct arrival arrival = {.kind = NOTHING, .number = connection->next};
    if (starts(line, length, "-")) arrival.kind = REFUSAL;
    else if (connection->place == 0) arrival.kind = starts(line, length, ":") ? ANSWER : NOTHING;
    else if (mark_read(line, length, &arrival.number, &arrival.due)) arrival.kind = EVENT;
    return arrival;
}

const struct dialect resp_dialect = {
    .name = "resp", .framing = &line_framing, .prepare = prepare, .prepared = prepared, .event = event,
    .read = read};
