#include "load.h"

#include <stdio.h>
#include <string.h>

struct tally tally;
uint64_t measure_from = UINT64_MAX, measure_to = UINT64_MAX;

// The first lines that are wrong are shown; the rest is counted.
static void complain(const struct connection *connection, const char *what, const char *line, size_t length) {
    static int shown;
    if (shown++ >= 5) return;
    int width = length < 300 ? (int)length : 300;
    fprintf(
        stderr, "bench-load: session %u, connection %u: %s: %.*s\n", connection->session, connection->place,
        what, width, line);
}

// Numbers must come one by one. One that comes late was counted lost when it was skipped. What is
// more than 64 behind cannot be told apart and counts as doubled.
static bool in_order(struct connection *connection, uint32_t number) {
    int32_t ahead = (int32_t)(number - connection->next);
    if (ahead == 0) {
        connection->seen = connection->seen << 1 | 1;
        connection->next++;
        return true;
    }
    if (ahead > 0) {
        tally.lost += (uint32_t)ahead;
        connection->seen = ahead < 63 ? connection->seen << (ahead + 1) | 1 : 1;
        connection->next = number + 1;
        return true;
    }
    uint64_t bit = ahead >= -64 ? (uint64_t)1 << (-ahead - 1) : 0;
    if (bit == 0 || connection->seen & bit) {
        tally.doubled++;
        return false;
    }
    connection->seen |= bit;
    tally.disordered++;
    tally.lost--;
    return true;
}

static bool measured(uint64_t time) { return time >= measure_from && time < measure_to; }

static void delivered(struct connection *connection, const struct arrival *event, uint64_t time) {
    struct session *session = &sessions[connection->session];
    if (event->number >= session->sent) {
        tally.disordered++; // before it was sent
        return;
    }
    if (!in_order(connection, event->number)) return;
    tally.delivered++;
    if (measured(event->due)) histogram_add(&delivery_latency, time - event->due);
    if (options.mode != CLOSED || options.own) return;
    uint32_t *arrivals = &session->arrivals[event->number % options.window];
    if (++*arrivals < options.subscribers) return;
    *arrivals = 0;
    event_completed(connection->session);
}

static void answered(struct connection *connection, uint32_t number, uint64_t time) {
    struct session *session = &sessions[connection->session];
    if (number != connection->next || number >= session->sent) {
        tally.disordered++;
        return;
    }
    connection->next++;
    tally.answered++;
    uint64_t sent = session->sent_at[number % SENT_TIMES];
    if (session->sent - number <= SENT_TIMES && measured(sent)) histogram_add(&answer_latency, time - sent);
    if (options.own && options.mode == CLOSED) event_completed(connection->session);
}

static void prepare(struct connection *connection, const char *line, size_t length) {
    switch (options.dialect->prepared(connection, line, length)) {
    case REFUSED:
        complain(connection, "the server refuses", line, length);
        fail(EXIT_REFUSED, "the connections could not be prepared");
    case DONE:
        connection->step++;
        connection_begin(connection);
    }
}

// Answers at once.
static void respond(struct connection *connection, const char *text, size_t length) {
    connection_send(connection, text, length);
    connection_flush(connection);
}

void ledger_message(struct connection *connection, const char *line, size_t length, uint64_t time) {
    struct arrival arrival = options.dialect->read(connection, line, length);
    if (!connection->ready && arrival.kind != PING) {
        prepare(connection, line, length);
        return;
    }
    char text[SCRIPT_LIMIT];
    switch (arrival.kind) {
    case NOTHING: break;
    case EVENT:
        delivered(connection, &arrival, time);
        if (options.dialect->acknowledge)
            respond(connection, text, options.dialect->acknowledge(line, length, text));
        break;
    case ANSWER: answered(connection, arrival.number, time); break;
    case PING: respond(connection, text, options.dialect->pong(text)); break;
    case REFUSAL:
        tally.refused++;
        // A refused event's answer has come too.
        if (connection->place == 0 && arrival.number == connection->next) connection->next++;
        complain(connection, "the server refuses", line, length);
    }
}

void ledger_close(void) {
    for (uint32_t i = 0; i < connection_count; i++) {
        if (connections[i].place == 0) continue;
        tally.lost += sessions[connections[i].session].sent - connections[i].next;
    }
}
