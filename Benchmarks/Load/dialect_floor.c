#include "load.h"

#include <stdio.h>

static size_t prepare(const struct connection *connection, char *text) {
    if (connection->step > 0) return 0;
    const char *verb = connection->place == 0 ? "PUB" : "SUB";
    const char *answers = connection->place == 0 && options.own ? " ack" : "";
    return (size_t)snprintf(text, SCRIPT_LIMIT, "%s bench-%u%s", verb, connection->session, answers);
}

static int prepared(const struct connection *connection, const char *line, size_t length) {
    (void)connection;
    return equals(line, length, "ready") ? DONE : REFUSED;
}

static size_t event(uint32_t session, uint32_t number, uint64_t due, char *text) {
    (void)session;
    return plain_event(number, due, text);
}

static struct arrival read(const struct connection *connection, const char *line, size_t length) {
    struct arrival arrival = {.kind = REFUSAL, .number = connection->next};
    if (connection->place == 0 && equals(line, length, "ack")) arrival.kind = ANSWER;
    else if (mark_read(line, length, &arrival.number, &arrival.due)) arrival.kind = EVENT;
    return arrival;
}

const struct dialect floor_dialect = {
    .name = "floor", .framing = &line_framing, .prepare = prepare, .prepared = prepared, .event = event,
    .read = read};
