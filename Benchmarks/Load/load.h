#pragma once

// The load generator of the benchmarks: one thread that is every publisher and every subscriber.
//
// Each event carries its number in the session and the time it was due, so a subscriber's line says
// by itself which event it is and how late: nothing waits for an answer to be measured, and a server
// or generator that falls behind its schedule shows in the latencies (no coordinated omission).

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    // Exit codes besides 0.
    EXIT_WRONG = 1, // something was lost, doubled, out of order or refused
    EXIT_USAGE = 2,
    EXIT_REFUSED = 3, // the server did not let the connections be prepared

    EVENT_LIMIT = 8192,
    SCRIPT_LIMIT = 1024,
    FRAME_ROOM = 32, // what a framing adds to a text, at most
    // Answers further behind than this have no latency.
    SENT_TIMES = 256,
};

struct bytes {
    char *start;
    size_t count, capacity;
};

struct connection {
    int descriptor;
    uint32_t session;
    uint32_t place; // 0 is the publisher, from 1 on the subscribers
    unsigned step;  // of its preparation
    bool greeted;   // the carrier's own handshake is over
    bool ready, closed, blocked;
    struct bytes input;  // the start of a line
    struct bytes output; // what the socket did not take yet
    uint32_t next;       // the event a subscriber, or the answer a publisher, gets next
    uint64_t seen;       // bit n: the event n + 1 before `next` has come
};

struct session {
    uint32_t sent, completed;
    uint32_t *arrivals; // of the events in flight, by number modulo the window
    uint64_t sent_at[SENT_TIMES];
};

// What a line from the server is.
struct arrival {
    enum { NOTHING, EVENT, ANSWER, PING, REFUSAL } kind;
    uint32_t number;
    uint64_t due;
};

enum { LATER, DONE, REFUSED };

// How messages are told apart in a stream of bytes.
struct framing {
    // Sends what comes before the first message; null where there is nothing.
    void (*greet)(struct connection *connection);
    // Hands every whole message to ledger_message and returns how many bytes they were.
    size_t (*take)(struct connection *connection, char *bytes, size_t count, uint64_t time);
    // Writes a message as it goes out, at most FRAME_ROOM bytes longer, and returns its length.
    size_t (*wrap)(const char *text, size_t length, char *frame);
};
extern const struct framing line_framing, websocket_framing, mqtt_framing;

// How a server is spoken to. Texts are messages: what frames them is added later.
struct dialect {
    const char *name;
    const struct framing *framing;
    // Writes the text of a step of the preparation; 0 where there are no more steps.
    size_t (*prepare)(const struct connection *connection, char *text);
    // Whether the message answers that step: LATER, DONE or REFUSED.
    int (*prepared)(const struct connection *connection, const char *line, size_t length);
    size_t (*event)(uint32_t session, uint32_t number, uint64_t due, char *text);
    struct arrival (*read)(const struct connection *connection, const char *line, size_t length);
    // Writes what a ping is answered with.
    size_t (*pong)(char *text);
    // Writes what a subscriber answers an event with; null where it answers nothing.
    size_t (*acknowledge)(const char *line, size_t length, char *text);
    // Writes the path of a WebSocket.
    void (*path)(const struct connection *connection, char *text);
};
extern const struct dialect floor_dialect, coordd_dialect, resp_dialect, nats_dialect, mqtt_dialect,
    nchan_dialect, socketio_dialect;

struct options {
    const char *host, *label;
    const struct dialect *dialect;
    const struct framing *framing;
    int port, pid;
    enum { CLOSED, OPEN, IDLE } mode; // a window of events, a fixed rate, no events
    bool own;                         // an event is complete when its own answer came
    uint32_t sessions, subscribers, window, size;
    uint32_t idle;      // more sessions, of a publisher that sends nothing
    uint32_t preparing; // connections that are prepared at a time
    double rate, warmup, seconds;
};
extern struct options options;
void options_parse(int count, char **arguments);

// What went wrong or came, since the first event.
struct tally {
    uint64_t sent, delivered, answered;
    uint64_t lost, doubled, disordered, refused, closed;
};
extern struct tally tally;

extern struct connection *connections;
extern struct session *sessions;
extern uint32_t connection_count;
struct connection *publisher_of(uint32_t session);
void fail(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
uint64_t now(void);

// connection.c
void connections_open(void);
void connection_begin(struct connection *connection); // its carrier's handshake is over
void connection_write(struct connection *connection, const char *bytes, size_t count); // unframed
void connection_send(struct connection *connection, const char *text, size_t length);
void connection_flush(struct connection *connection);
// Serves the sockets until something came or the time is over; nanoseconds.
void connections_serve(uint64_t until);

// ledger.c: what a connection was sent, checked and counted.
void ledger_message(struct connection *connection, const char *line, size_t length, uint64_t time);
void ledger_close(void); // counts what never came
extern uint64_t measure_from, measure_to;

// run.c
void event_send(uint32_t session, uint64_t due, uint64_t time);
void event_completed(uint32_t session);
void run(void);

// mark.c: the event's number and due time as text that every server passes on as it is.
enum { MARK_LENGTH = 25 };
void mark_write(uint32_t number, uint64_t due, char *text);
bool mark_read(const char *line, size_t length, uint32_t *number, uint64_t *due);
// Ends an event's text, filled up to the wanted size.
size_t pad_to_size(char *text, size_t length, const char *end);
// A whole event, as the floor and the peers get it.
size_t plain_event(uint32_t number, uint64_t due, char *text);

// text.c
bool starts(const char *line, size_t length, const char *text);
bool holds(const char *line, size_t length, const char *text);
bool equals(const char *line, size_t length, const char *text);

// histogram.c: nanoseconds, within 1.6 %.
struct histogram {
    uint64_t counts[64 * 64];
    uint64_t total, largest;
};
extern struct histogram delivery_latency, answer_latency, send_lag;
void histogram_add(struct histogram *histogram, uint64_t value);
uint64_t histogram_at(const struct histogram *histogram, double share);

// report.c
struct moment {
    uint64_t time, server, own; // the two processes' processor time
    struct tally tally;
};
struct moment moment_now(void);
// Between two stages of the preparation the server's memory is looked at, which takes its time.
struct stage {
    struct moment begin, end;
    uint64_t memory; // resident, in bytes
};
struct stage stage_now(void);
uint64_t server_memory(void);
// When nothing was connected yet, then the publishers were, then all.
extern struct stage before_publishers, before_subscribers, after_subscribers;
void report(const struct moment *start, const struct moment *end);
