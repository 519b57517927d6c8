#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    BATCH = 256,
    PREPARE_SECONDS = 60,
    OUTPUT_LIMIT = 16 << 20, // of one connection
};

struct connection *connections;
uint32_t connection_count;
static int poller = -1;
static uint32_t preparing; // connections that are not ready yet

static void append(struct bytes *bytes, const char *start, size_t count) {
    if (count == 0) return;
    size_t needed = bytes->count + count;
    if (needed > bytes->capacity) {
        size_t capacity = bytes->capacity ? bytes->capacity : 512;
        while (capacity < needed) capacity *= 2;
        if (!(bytes->start = realloc(bytes->start, capacity))) fail(EXIT_WRONG, "out of memory");
        bytes->capacity = capacity;
    }
    memcpy(bytes->start + bytes->count, start, count);
    bytes->count = needed;
}

static void remove_first(struct bytes *bytes, size_t count) {
    bytes->count -= count;
    if (bytes->count > 0) memmove(bytes->start, bytes->start + count, bytes->count);
}

static void closed(struct connection *connection, const char *why) {
    if (!connection->ready) fail(EXIT_REFUSED, "the server closed a connection: %s", why);
    close(connection->descriptor);
    connection->closed = true;
    connection->output.count = 0;
    if (tally.closed++ == 0) fprintf(stderr, "bench-load: the server closed a connection: %s\n", why);
}

static void watch(struct connection *connection, int operation, bool blocked) {
    struct epoll_event event = {.events = EPOLLIN | (blocked ? EPOLLOUT : 0), .data.ptr = connection};
    connection->blocked = blocked;
    if (epoll_ctl(poller, operation, connection->descriptor, &event) < 0)
        fail(EXIT_WRONG, "epoll_ctl: %s", strerror(errno));
}

void connection_write(struct connection *connection, const char *bytes, size_t count) {
    append(&connection->output, bytes, count);
    connection_flush(connection);
}

void connection_send(struct connection *connection, const char *text, size_t length) {
    if (connection->closed) return;
    char frame[EVENT_LIMIT + FRAME_ROOM];
    append(&connection->output, frame, options.framing->wrap(text, length, frame));
    if (connection->output.count > OUTPUT_LIMIT) fail(EXIT_WRONG, "the server reads too slowly");
    // What is part of the measurement is sent together by whoever sends it.
    if (connection->place > 0 || !connection->ready) connection_flush(connection);
}

void connection_flush(struct connection *connection) {
    struct bytes *output = &connection->output;
    if (connection->closed || output->count == 0) return;
    ssize_t sent = send(connection->descriptor, output->start, output->count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        closed(connection, strerror(errno));
        return;
    }
    if (sent > 0) remove_first(output, (size_t)sent);
    bool blocked = output->count > 0;
    if (blocked != connection->blocked) watch(connection, EPOLL_CTL_MOD, blocked);
}

static void receive(struct connection *connection) {
    static char bytes[256 * 1024];
    ssize_t count = recv(connection->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
        closed(connection, count == 0 ? "end of file" : strerror(errno));
        return;
    }
    uint64_t time = now();
    struct bytes *input = &connection->input;
    if (input->count == 0) {
        size_t taken = options.framing->take(connection, bytes, (size_t)count, time);
        append(input, bytes + taken, (size_t)count - taken);
    } else {
        append(input, bytes, (size_t)count);
        remove_first(input, options.framing->take(connection, input->start, input->count, time));
    }
}

void connections_serve(uint64_t until) {
    uint64_t time = now();
    uint64_t left = until > time ? until - time : 0;
    struct timespec timeout = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
    struct epoll_event events[BATCH];
    int count = epoll_pwait2(poller, events, BATCH, &timeout, NULL);
    if (count < 0 && errno != EINTR) fail(EXIT_WRONG, "epoll_pwait2: %s", strerror(errno));
    for (int i = 0; i < count; i++) {
        struct connection *connection = events[i].data.ptr;
        if (!connection->closed && events[i].events & ~(uint32_t)EPOLLOUT) receive(connection);
        if (!connection->closed && events[i].events & EPOLLOUT) connection_flush(connection);
    }
}

static void open_connection(struct connection *connection) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options.port)};
    if (inet_pton(AF_INET, options.host, &address.sin_addr) != 1) fail(EXIT_USAGE, "--host is no IPv4 address");
    connection->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0) fail(EXIT_WRONG, "cannot make a socket: %s", strerror(errno));
    // On loopback the kernel connects at once.
    if (connect(connection->descriptor, (struct sockaddr *)&address, sizeof address) < 0)
        fail(EXIT_REFUSED, "cannot connect to %s:%d: %s", options.host, options.port, strerror(errno));
    int on = 1;
    setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    // A reset at the end leaves no thousands of sockets in TIME_WAIT.
    struct linger reset = {1, 0};
    setsockopt(connection->descriptor, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    watch(connection, EPOLL_CTL_ADD, false);
    preparing++;
    if (options.framing->greet) options.framing->greet(connection);
    else connection_begin(connection);
}

void connection_begin(struct connection *connection) {
    char text[SCRIPT_LIMIT];
    connection->greeted = true;
    size_t count = options.dialect->prepare(connection, text);
    connection->ready = count == 0;
    if (connection->ready) preparing--;
    else connection_send(connection, text, count);
}

// Opens and prepares all publishers or all subscribers.
static void open_all(bool publishers) {
    uint64_t deadline = now() + PREPARE_SECONDS * 1000000000ull;
    for (uint32_t opened = 0; opened < connection_count || preparing > 0;) {
        for (; opened < connection_count && preparing < options.preparing; opened++)
            if ((connections[opened].place == 0) == publishers) open_connection(&connections[opened]);
        if (preparing > 0) connections_serve(now() + 100 * 1000000ull);
        if (now() > deadline) fail(EXIT_REFUSED, "the connections are not ready after a minute");
    }
}

void connections_open(void) {
    poller = epoll_create1(EPOLL_CLOEXEC);
    if (poller < 0) fail(EXIT_WRONG, "epoll_create1: %s", strerror(errno));
    uint32_t each = options.subscribers + 1, busy = options.sessions * each;
    connection_count = busy + options.idle;
    if (!(connections = calloc(connection_count, sizeof *connections))) fail(EXIT_WRONG, "out of memory");
    for (uint32_t i = 0; i < connection_count; i++) {
        connections[i].session = i < busy ? i / each : options.sessions + i - busy;
        connections[i].place = i < busy ? i % each : 0;
    }
    before_publishers = stage_now();
    open_all(true);
    before_subscribers = stage_now();
    open_all(false);
    after_subscribers = stage_now();
}

struct connection *publisher_of(uint32_t session) {
    return &connections[session * (options.subscribers + 1)];
}
