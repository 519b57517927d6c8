#include "load.h"

#include <stdlib.h>

static const uint64_t PATIENCE = 2 * 1000000000ull;

struct session *sessions;

// Sessions whose publishers have lines to write; each is in it once.
static uint32_t *ready;
static uint32_t ready_count;
static bool sending;

void event_send(uint32_t session, uint64_t due, uint64_t time) {
    char text[EVENT_LIMIT];
    struct session *state = &sessions[session];
    size_t length = options.dialect->event(session, state->sent, due, text);
    state->sent_at[state->sent % SENT_TIMES] = time;
    state->sent++;
    tally.sent++;
    connection_send(publisher_of(session), text, length);
}

void event_completed(uint32_t session) {
    struct session *state = &sessions[session];
    // Two completions in one turn: the session is in the list already.
    if (sending && state->sent - state->completed == options.window) ready[ready_count++] = session;
    state->completed++;
}

static void fill_window(uint32_t session) {
    uint64_t time = now();
    while (sessions[session].sent - sessions[session].completed < options.window)
        event_send(session, time, time);
    connection_flush(publisher_of(session));
}

// Moves the measurement on; false when it is over.
static bool measuring(struct moment *start, struct moment *end) {
    uint64_t time = now();
    if (start->time == 0 && time >= measure_from) *start = moment_now();
    if (time < measure_to) return true;
    *end = moment_now();
    return false;
}

static void run_open(struct moment *start, struct moment *end) {
    uint64_t begin = now();
    for (uint64_t number = 0; measuring(start, end);) {
        uint64_t due = begin + (uint64_t)((double)number * 1e9 / options.rate);
        uint64_t time = now();
        if (time < due) {
            connections_serve(due);
            continue;
        }
        uint32_t session = (uint32_t)(number++ % options.sessions);
        if (due >= measure_from) histogram_add(&send_lag, time - due);
        event_send(session, due, time);
        connection_flush(publisher_of(session));
        // Far behind the schedule there is still somebody to read for.
        if (number % 64 == 0) connections_serve(0);
    }
}

static void run_closed(struct moment *start, struct moment *end) {
    for (uint32_t i = 0; i < options.sessions; i++) fill_window(i);
    sending = true;
    while (measuring(start, end)) {
        connections_serve(now() + 10 * 1000000);
        for (uint32_t i = 0; i < ready_count; i++) fill_window(ready[i]);
        ready_count = 0;
    }
    sending = false;
}

static void run_idle(struct moment *start, struct moment *end) {
    while (measuring(start, end)) connections_serve(now() + 10 * 1000000);
}

// Until everything that was sent has come, or nothing has come for two seconds.
static void drain(void) {
    uint64_t expected = tally.sent * options.subscribers, patience = now() + PATIENCE;
    while (tally.delivered < expected && now() < patience) {
        uint64_t before = tally.delivered;
        connections_serve(now() + 100 * 1000000);
        if (tally.delivered > before) patience = now() + PATIENCE;
    }
}

void run(void) {
    ready = calloc(options.sessions, sizeof *ready);
    sessions = calloc(options.sessions + options.idle, sizeof *sessions);
    if (!ready || !sessions) fail(EXIT_WRONG, "out of memory");
    for (uint32_t i = 0; i < options.sessions; i++)
        if (!(sessions[i].arrivals = calloc(options.window, sizeof(uint32_t)))) fail(EXIT_WRONG, "out of memory");

    measure_from = now() + (uint64_t)(options.warmup * 1e9);
    measure_to = measure_from + (uint64_t)(options.seconds * 1e9);
    struct moment start = {0}, end = {0};
    switch (options.mode) {
    case OPEN: run_open(&start, &end); break;
    case CLOSED: run_closed(&start, &end); break;
    case IDLE: run_idle(&start, &end);
    }
    drain();
    ledger_close();
    report(&start, &end);
}
