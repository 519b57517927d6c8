#include "load.h"

#include <stdio.h>
#include <string.h>

// Text frames of RFC 6455, without extensions. A message may hold several lines, which are handed on
// one by one.

enum { CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING_FRAME = 9, PONG_FRAME = 10, FINAL = 0x80 };

static void greet(struct connection *connection) {
    char path[SCRIPT_LIMIT], request[2 * SCRIPT_LIMIT];
    options.dialect->path(connection, path);
    // Nobody here looks at the accept header, so the key may be everybody's.
    int length = snprintf(
        request, sizeof request,
        "GET %s HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: YmVuY2gtbG9hZCBrZXkgMQ==\r\n\r\n",
        path, options.host, options.port);
    connection_write(connection, request, (size_t)length);
}

// The server's answer to the request; returns its length, 0 while it is not whole.
static size_t take_head(struct connection *connection, const char *bytes, size_t count) {
    const char *end = memmem(bytes, count, "\r\n\r\n", 4);
    if (!end) return 0;
    if (!starts(bytes, count, "HTTP/1.1 101 "))
        fail(EXIT_REFUSED, "the server makes no WebSocket: %.*s", count < 200 ? (int)count : 200, bytes);
    connection_begin(connection);
    return (size_t)(end - bytes) + 4;
}

static void take_text(struct connection *connection, const char *text, size_t length, uint64_t time) {
    while (length > 0) {
        const char *end = memchr(text, '\n', length);
        size_t line = end ? (size_t)(end - text) : length;
        if (line > 0) ledger_message(connection, text, line, time);
        size_t taken = end ? line + 1 : line;
        text += taken;
        length -= taken;
    }
}

// A client's frame with a mask, as the RFC demands; a constant one costs the server the same.
static size_t write_frame(unsigned kind, const char *text, size_t length, char *frame) {
    static const unsigned char mask[4] = {0x5a, 0xc3, 0x96, 0x3c};
    size_t head = 2;
    frame[0] = (char)(FINAL | kind);
    if (length < 126) {
        frame[1] = (char)(0x80 | length);
    } else {
        frame[1] = (char)(0x80 | 126);
        frame[2] = (char)(length >> 8);
        frame[3] = (char)length;
        head = 4;
    }
    memcpy(frame + head, mask, 4);
    head += 4;
    for (size_t i = 0; i < length; i++) frame[head + i] = (char)((unsigned char)text[i] ^ mask[i & 3]);
    return head + length;
}

static size_t wrap(const char *text, size_t length, char *frame) {
    return write_frame(TEXT, text, length, frame);
}

static void take_frame(
    struct connection *connection, unsigned first, const char *payload, size_t length, uint64_t time) {
    char frame[EVENT_LIMIT];
    switch (first & 15) {
    case TEXT:
    case BINARY:
        if (!(first & FINAL)) fail(EXIT_WRONG, "the server splits messages, which is not understood here");
        take_text(connection, payload, length, time);
        break;
    case PING_FRAME:
        connection_write(connection, frame, write_frame(PONG_FRAME, payload, length & 127, frame));
        break;
    case CLOSE:
        if (!connection->ready) fail(EXIT_REFUSED, "the server closes a WebSocket");
        break; // the end of the stream follows
    case PONG_FRAME: break;
    default: fail(EXIT_WRONG, "the server sends a frame of kind %u", first & 15);
    }
}

static size_t take(struct connection *connection, char *bytes, size_t count, uint64_t time) {
    size_t taken = 0;
    if (!connection->greeted && (taken = take_head(connection, bytes, count)) == 0) return 0;
    while (count - taken >= 2) {
        const unsigned char *frame = (const unsigned char *)bytes + taken;
        size_t length = frame[1] & 127, head = length == 126 ? 4 : length == 127 ? 10 : 2;
        if (frame[1] & 0x80) fail(EXIT_WRONG, "the server masks a frame");
        if (count - taken < head) break;
        if (head > 2) {
            length = 0;
            for (size_t i = 2; i < head; i++) length = length << 8 | frame[i];
        }
        if (count - taken - head < length) break;
        taken += head + length;
        take_frame(connection, frame[0], (const char *)frame + head, length, time);
    }
    return taken;
}

const struct framing websocket_framing = {.greet = greet, .take = take, .wrap = wrap};
