#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The line protocol of coordd. The publisher is the session's phone: it makes the session, takes its
// stage and opens a slip with one selection, then stops following the session, so that an event is
// delivered to the subscribers and nobody else. Each event sets another stake and is a revision.

enum { FIRST_EVENT_ID = 6 };

static const char *const phone[] = {
    "{\"id\":1,\"connect\":{\"data\":{\"device\":\"bench-phone-%u\"}}}",
    "{\"id\":2,\"subscribe\":{\"channel\":\"session:bench-%u\"}}",
    "{\"id\":3,\"subscribe\":{\"channel\":\"stage:bench-%u\","
    "\"data\":{\"facts\":{\"orientation\":\"portrait\"}}}}",
    "{\"id\":4,\"rpc\":{\"method\":\"session.apply\",\"data\":{\"session\":\"bench-%u\",\"event\":"
    "{\"type\":\"betslip.open\",\"sportsbookSelectionId\":\"s1\",\"decimalPrice\":\"1.85\"}}}}",
    "{\"id\":5,\"unsubscribe\":{\"channel\":\"session:bench-%u\"}}",
};

static size_t prepare(const struct connection *connection, char *text) {
    int length = 0;
    if (connection->place == 0) {
        // The texts are ours, not input.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        if (connection->step < sizeof phone / sizeof *phone)
            length = snprintf(text, SCRIPT_LIMIT, phone[connection->step], connection->session);
#pragma GCC diagnostic pop
    } else if (connection->step == 0) {
        length = snprintf(
            text, SCRIPT_LIMIT, "{\"id\":1,\"connect\":{\"data\":{\"device\":\"bench-screen-%u-%u\"}}}",
            connection->session, connection->place);
    } else if (connection->step == 1) {
        length = snprintf(
            text, SCRIPT_LIMIT, "{\"id\":2,\"subscribe\":{\"channel\":\"session:bench-%u\"}}",
            connection->session);
    }
    return (size_t)length;
}

// The number of a line that starts with `{"id":`, else 0.
static uint64_t answer_id(const char *line, size_t length) {
    if (!starts(line, length, "{\"id\":")) return 0;
    uint64_t id = 0;
    for (size_t i = 6; i < length && line[i] >= '0' && line[i] <= '9' && id < UINT32_MAX; i++)
        id = id * 10 + (uint64_t)(line[i] - '0');
    return id;
}

static int prepared(const struct connection *connection, const char *line, size_t length) {
    if (holds(line, length, "\"error\":") || starts(line, length, "{\"push\":{\"disconnect\"")) return REFUSED;
    return answer_id(line, length) == connection->step + 1 ? DONE : LATER;
}

static size_t event(uint32_t session, uint32_t number, uint64_t due, char *text) {
    char mark[MARK_LENGTH + 1] = {0};
    mark_write(number, due, mark);
    int length = snprintf(
        text, EVENT_LIMIT,
        "{\"id\":%llu,\"rpc\":{\"method\":\"session.apply\",\"data\":{\"session\":\"bench-%u\",\"event\":"
        "{\"type\":\"betslip.update\",\"stake\":\"%u.50\",\"mark\":\"%s\",\"pad\":\"",
        FIRST_EVENT_ID + (unsigned long long)number, session, number % 100000 + 1, mark);
    return pad_to_size(text, (size_t)length, "\"}}}}");
}

static struct arrival read(const struct connection *connection, const char *line, size_t length) {
    struct arrival arrival = {.kind = REFUSAL};
    uint64_t id = answer_id(line, length);
    if (equals(line, length, "{}")) {
        arrival.kind = PING;
    } else if (id >= FIRST_EVENT_ID && connection->place == 0) {
        arrival.number = (uint32_t)(id - FIRST_EVENT_ID);
        if (!holds(line, length, "\"error\":")) arrival.kind = ANSWER;
    } else if (starts(line, length, "{\"push\":{\"channel\":")) {
        // What has no mark is of the server's own: an effect for the stage, a session's own revision.
        arrival.kind = mark_read(line, length, &arrival.number, &arrival.due) ? EVENT : NOTHING;
    }
    return arrival;
}

static size_t pong(char *text) {
    memcpy(text, "{}", 2);
    return 2;
}

static void path(const struct connection *connection, char *text) {
    (void)connection;
    snprintf(text, SCRIPT_LIMIT, "/connection/websocket");
}

const struct dialect coordd_dialect = {
    .name = "coordd", .framing = &line_framing, .pong = pong, .prepare = prepare, .prepared = prepared,
    .event = event, .read = read, .path = path};
