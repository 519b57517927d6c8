#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options options = {
    .host = "127.0.0.1", .label = "", .sessions = 10, .subscribers = 2, .window = 1, .size = 200,
    .preparing = 64, .rate = 1000, .warmup = 1, .seconds = 3};

static _Noreturn void usage(const char *problem, const char *subject) {
    if (problem) fprintf(stderr, "bench-load: %s %s\n", problem, subject);
    fprintf(stderr,
        "usage: bench-load --dialect DIALECT --port PORT [options]\n"
        "  --dialect NAME       floor, coordd, resp (Redis), nats, mqtt, nchan or socketio\n"
        "  --carrier line|websocket   of coordd (line)\n"
        "  --host ADDRESS       IPv4 address (127.0.0.1)\n"
        "  --mode open|closed|idle   a fixed rate of events, a window of them in flight, or none (closed)\n"
        "  --rate N             open: events a second, over all sessions (1000)\n"
        "  --window N           closed: events in flight of each publisher (1)\n"
        "  --ack all|own        closed: complete when all subscribers have it, or when its answer came (all)\n"
        "  --sessions N --subscribers N   (10, 2)\n"
        "  --idle N             more sessions, each of a publisher that sends nothing (0)\n"
        "  --preparing N        connections that are prepared at a time (64)\n"
        "  --size BYTES         of an event's line (200)\n"
        "  --warmup SECONDS --seconds SECONDS   (1, 3)\n"
        "  --pid PID            the server, whose processor time and memory are measured\n"
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

// The place of the value among the choices, which end with null.
static int choice(const char *name, const char *value, const char *const *choices) {
    for (int i = 0; choices[i]; i++)
        if (strcmp(value, choices[i]) == 0) return i;
    usage("unknown value of", name);
}

static const struct dialect *dialect_named(const char *name) {
    static const struct dialect *const all[] = {
        &floor_dialect, &coordd_dialect, &resp_dialect, &nats_dialect, &mqtt_dialect, &nchan_dialect,
        &socketio_dialect};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i]->name) == 0) return all[i];
    usage("unknown dialect", name);
}

void options_parse(int count, char **arguments) {
    static const char *const modes[] = {"closed", "open", "idle", NULL}, *const acks[] = {"all", "own", NULL},
                      *const carriers[] = {"line", "websocket", NULL};
    bool websocket = false;
    for (int i = 1; i < count; i += 2) {
        const char *name = arguments[i];
        if (i + 1 == count) usage("no value of", name);
        const char *value = arguments[i + 1];
        if (strcmp(name, "--dialect") == 0) options.dialect = dialect_named(value);
        else if (strcmp(name, "--carrier") == 0) websocket = choice(name, value, carriers) == 1;
        else if (strcmp(name, "--port") == 0) options.port = (int)whole(name, value, 1, 65535);
        else if (strcmp(name, "--host") == 0) options.host = value;
        else if (strcmp(name, "--mode") == 0) options.mode = choice(name, value, modes);
        else if (strcmp(name, "--rate") == 0) options.rate = number(name, value, 0.01, 1e7);
        else if (strcmp(name, "--window") == 0) options.window = whole(name, value, 1, 1024);
        else if (strcmp(name, "--ack") == 0) options.own = choice(name, value, acks) == 1;
        else if (strcmp(name, "--sessions") == 0) options.sessions = whole(name, value, 1, 100000);
        else if (strcmp(name, "--subscribers") == 0) options.subscribers = whole(name, value, 0, 100000);
        else if (strcmp(name, "--idle") == 0) options.idle = whole(name, value, 0, 100000);
        else if (strcmp(name, "--preparing") == 0) options.preparing = whole(name, value, 1, 10000);
        else if (strcmp(name, "--size") == 0) options.size = whole(name, value, 0, EVENT_LIMIT / 2);
        else if (strcmp(name, "--warmup") == 0) options.warmup = number(name, value, 0, 3600);
        else if (strcmp(name, "--seconds") == 0) options.seconds = number(name, value, 0.1, 3600);
        else if (strcmp(name, "--pid") == 0) options.pid = (int)whole(name, value, 1, 1 << 30);
        else if (strcmp(name, "--label") == 0) options.label = value;
        else usage("unknown option", name);
    }
    if (!options.dialect || !options.port) usage(NULL, NULL);
    if (websocket && !options.dialect->path) usage("no WebSocket with the dialect", options.dialect->name);
    options.framing = websocket ? &websocket_framing : options.dialect->framing;
    if (options.mode != IDLE && options.subscribers == 0) usage("no events without", "--subscribers");
    if ((uint64_t)options.sessions * (options.subscribers + 1) + options.idle > 1000000) usage("too many", "connections");
}
