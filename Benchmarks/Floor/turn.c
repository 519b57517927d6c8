#include "floor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// An event that waits for the turn's commit. Its publisher lives until the turn is over, since the
// loop calls back about closed handles after the turn's end.
struct pending {
    struct connection *publisher;
    size_t length; // of its line, line feed included
};

static int journal = -1;
static const char *journal_path;
static struct buffer lines;
static struct pending *pending;
static size_t count, capacity;

static void fail(const char *action) {
    fprintf(stderr, "bench-floor: cannot %s %s: %s\n", action, journal_path, strerror(errno));
    exit(1);
}

void turn_open(const char *path) {
    journal_path = path;
    journal = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (journal < 0) fail("make");
}

static void relay(struct connection *publisher, const char *line, size_t length) {
    struct session *session = publisher->session;
    // From the last one, since a subscriber that is cut off leaves the list.
    for (size_t i = session->count; i-- > 0;) connection_queue(session->subscribers[i], line, length);
    if (publisher->acknowledges) connection_queue(publisher, "ack\n", 4);
}

// Nothing is passed on before it is on the disk; a journal that fails ends the program.
static void commit(void) {
    if (count == 0) return;
    for (size_t written = 0; written < lines.count;) {
        ssize_t more = write(journal, lines.bytes + written, lines.count - written);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) fail("write");
        written += (size_t)more;
    }
    if (fdatasync(journal) < 0) fail("sync");
    const char *line = lines.bytes;
    for (size_t i = 0; i < count; i++) {
        relay(pending[i].publisher, line, pending[i].length);
        line += pending[i].length;
    }
    count = 0;
    lines.count = 0;
}

void turn_event(struct connection *publisher, const char *line, size_t length) {
    if (journal < 0) {
        relay(publisher, line, length);
        return;
    }
    if (count == capacity) {
        capacity = capacity ? capacity * 2 : 64;
        pending = allocate(pending, capacity * sizeof *pending);
    }
    buffer_append(&lines, line, length);
    pending[count++] = (struct pending){publisher, length};
    if (lines.count >= TURN_LIMIT) commit();
}

void turn_end(void) {
    commit();
    connections_flush();
}
