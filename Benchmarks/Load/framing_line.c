#include "load.h"

#include <string.h>

// A message is a line; some protocols end it with a carriage return too, which is left to their dialect.

static size_t take(struct connection *connection, char *bytes, size_t count, uint64_t time) {
    size_t taken = 0;
    const char *end;
    while ((end = memchr(bytes + taken, '\n', count - taken))) {
        const char *line = bytes + taken;
        taken += (size_t)(end - line) + 1;
        ledger_message(connection, line, (size_t)(end - line), time);
    }
    return taken;
}

static size_t wrap(const char *text, size_t length, char *frame) {
    memcpy(frame, text, length);
    frame[length] = '\n';
    return length + 1;
}

const struct framing line_framing = {.take = take, .wrap = wrap};
