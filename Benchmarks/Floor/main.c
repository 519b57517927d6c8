#include "floor.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void check(int status, const char *action) {
    if (status >= 0) return;
    fprintf(stderr, "bench-floor: cannot %s: %s\n", action, uv_strerror(status));
    exit(1);
}

static _Noreturn void usage(void) {
    fprintf(stderr, "usage: bench-floor [--port PORT] [--ready-file FILE] [--journal FILE]\n"
                    "Passes lines on to subscribers, on 127.0.0.1. Port 0, the default, picks one.\n"
                    "HOST:PORT goes to the ready file, or to standard output. With a journal, which\n"
                    "must not exist, events are synced to it before they are passed on.\n");
    exit(2);
}

static void turn_over(uv_check_t *handle) {
    (void)handle;
    turn_end();
}

static void stop(uv_signal_t *handle, int number) {
    (void)number;
    uv_stop(handle->loop);
}

// Whoever waits for the file must never read half of it, so it is renamed into place.
static void announce(uv_tcp_t *listener, const char *path) {
    struct sockaddr_in address;
    int size = sizeof address;
    check(uv_tcp_getsockname(listener, (struct sockaddr *)&address, &size), "name the port");
    int port = ntohs(address.sin_port);
    if (!path) {
        printf("127.0.0.1:%d\n", port);
        fflush(stdout);
        return;
    }
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary) usage();
    FILE *file = fopen(temporary, "w");
    bool written = file && fprintf(file, "127.0.0.1:%d\n", port) > 0;
    if (!file || fclose(file) != 0 || !written || rename(temporary, path) != 0) {
        perror("bench-floor: cannot write the ready file");
        exit(1);
    }
}

static void raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int count, char **arguments) {
    const char *ready = NULL, *journal = NULL;
    long port = 0;
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count) usage();
        const char *name = arguments[i], *value = arguments[i + 1];
        char *end = NULL;
        if (strcmp(name, "--ready-file") == 0) ready = value;
        else if (strcmp(name, "--journal") == 0) journal = value;
        else if (strcmp(name, "--port") == 0) port = strtol(value, &end, 10);
        else usage();
        if (end && (*end || end == value || port < 0 || port > 65535)) usage();
    }
    signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();
    if (journal) turn_open(journal);

    static uv_tcp_t listener;
    static uv_check_t turn;
    static uv_signal_t interrupt, terminate;
    uv_loop_t *loop = uv_default_loop();
    struct sockaddr_in address;
    check(uv_ip4_addr("127.0.0.1", (int)port, &address), "use the address");
    check(uv_tcp_init(loop, &listener), "make a socket");
    check(uv_tcp_bind(&listener, (const struct sockaddr *)&address, 0), "bind the port");
    check(uv_listen((uv_stream_t *)&listener, 4096, connection_accept), "listen");
    // After the sockets were read: the end of the turn.
    check(uv_check_init(loop, &turn), "watch turns");
    check(uv_check_start(&turn, turn_over), "watch turns");
    check(uv_signal_init(loop, &interrupt), "watch signals");
    check(uv_signal_start(&interrupt, stop, SIGINT), "watch signals");
    check(uv_signal_init(loop, &terminate), "watch signals");
    check(uv_signal_start(&terminate, stop, SIGTERM), "watch signals");
    announce(&listener, ready);
    uv_run(loop, UV_RUN_DEFAULT);
    return 0;
}
