#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options options = {
    .host = "127.0.0.1", .label = "", .open = false, .sessions = 10, .subscribers = 2, .window = 1, .size = 200,
    .rate = 1000, .warmup = 1, .seconds = 3};

static _Noreturn void usage(const char *problem, const char *subject) {
    if (problem) fprintf(stderr, "bench-load: %s %s\n", problem, subject);
    fprintf(stderr,
        "usage: bench-load --dialect floor|coordd --port PORT [options]\n"
        "  --host ADDRESS       IPv4 address (127.0.0.1)\n"
        "  --mode open|closed   a fixed rate of events, or a window of events in flight (closed)\n"
        "  --rate N             open: events a second, over all sessions (1000)\n"
        "  --window N           closed: events in flight of each publisher (1)\n"
        "  --ack all|own        closed: complete when all subscribers have it, or when its answer came (all)\n"
        "  --sessions N --subscribers N   (10, 2)\n"
        "  --size BYTES         of an event's line (200)\n"
        "  --warmup SECONDS --seconds SECONDS   (1, 3)\n"
        "  --pid PID            the server, whose processor time is measured\n"
        "  --label TEXT         repeated in the result, which is one line of JSON\n");
    exit(EXIT_USAGE);
}

static double number(const char *name, const char *value, double least, double most) {
    char *end;
    double result = strtod(value, &end);
    if (end == value || *end || !(result >= least && result <= most)) usage("out of range:", name);
    return result;
}

static uint32_t whole(const char *name, const char *value, double least, double most) {
    return (uint32_t)number(name, value, least, most);
}

// Whether the value is the first of two choices.
static bool first(const char *name, const char *value, const char *yes, const char *no) {
    if (strcmp(value, yes) != 0 && strcmp(value, no) != 0) usage("unknown value of", name);
    return strcmp(value, yes) == 0;
}

void options_parse(int count, char **arguments) {
    for (int i = 1; i < count; i += 2) {
        const char *name = arguments[i];
        if (i + 1 == count) usage("no value of", name);
        const char *value = arguments[i + 1];
        if (strcmp(name, "--dialect") == 0)
            options.dialect = first(name, value, "floor", "coordd") ? &floor_dialect : &coordd_dialect;
        else if (strcmp(name, "--port") == 0) options.port = (int)whole(name, value, 1, 65535);
        else if (strcmp(name, "--host") == 0) options.host = value;
        else if (strcmp(name, "--mode") == 0) options.open = first(name, value, "open", "closed");
        else if (strcmp(name, "--rate") == 0) options.rate = number(name, value, 0.01, 1e7);
        else if (strcmp(name, "--window") == 0) options.window = whole(name, value, 1, 1024);
        else if (strcmp(name, "--ack") == 0) options.own = first(name, value, "own", "all");
        else if (strcmp(name, "--sessions") == 0) options.sessions = whole(name, value, 1, 100000);
        else if (strcmp(name, "--subscribers") == 0) options.subscribers = whole(name, value, 1, 100000);
        else if (strcmp(name, "--size") == 0) options.size = whole(name, value, 0, EVENT_LIMIT / 2);
        else if (strcmp(name, "--warmup") == 0) options.warmup = number(name, value, 0, 3600);
        else if (strcmp(name, "--seconds") == 0) options.seconds = number(name, value, 0.1, 3600);
        else if (strcmp(name, "--pid") == 0) options.pid = (int)whole(name, value, 1, 1 << 30);
        else if (strcmp(name, "--label") == 0) options.label = value;
        else usage("unknown option", name);
    }
    if (!options.dialect || !options.port) usage(NULL, NULL);
    if ((uint64_t)options.sessions * (options.subscribers + 1) > 1000000) usage("too many", "connections");
}
