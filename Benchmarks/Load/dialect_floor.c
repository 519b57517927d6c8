#include "load.h"

#include <stdio.h>
#include <string.h>

static size_t prepare(const struct connection *connection, char *text) {
    if (connection->step > 0) return 0;
    const char *verb = connection->place == 0 ? "PUB" : "SUB";
    const char *answers = connection->place == 0 && options.own ? " ack" : "";
    return (size_t)snprintf(text, SCRIPT_LIMIT, "%s bench-%u%s", verb, connection->session, answers);
}

static int prepared(const struct connection *connection, const char *line, size_t length) {
    (void)connection;
    return length == 5 && memcmp(line, "ready", 5) == 0 ? DONE : REFUSED;
}

static size_t event(uint32_t session, uint32_t number, uint64_t due, char *text) {
    char mark[MARK_LENGTH + 1] = {0};
    mark_write(number, due, mark);
    (void)session;
    int length = snprintf(
        text, EVENT_LIMIT, "{\"type\":\"betslip.update\",\"stake\":\"%u.50\",\"mark\":\"%s\",\"pad\":\"",
        number % 100000 + 1, mark);
    return pad_to_size(text, (size_t)length, "\"}");
}

static struct arrival read(const struct connection *connection, const char *line, size_t length) {
    struct arrival arrival = {.kind = REFUSAL, .number = connection->next};
    if (connection->place == 0 && length == 3 && memcmp(line, "ack", 3) == 0) arrival.kind = ANSWER;
    else if (mark_read(line, length, &arrival.number, &arrival.due)) arrival.kind = EVENT;
    return arrival;
}

const struct dialect floor_dialect = {
    .name = "floor", .pong = "", .prepare = prepare, .prepared = prepared, .event = event, .read = read};
