#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t read_clock(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) < 0) return 0;
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t now(void) { return read_clock(CLOCK_MONOTONIC); }

// A process's clock is its user and system time, as in /proc/PID/stat but not rounded to ticks.
static uint64_t server_time(void) {
    clockid_t clock;
    if (options.pid == 0 || clock_getcpuclockid(options.pid, &clock) != 0) return 0;
    return read_clock(clock);
}

// The kernel's exact sum, which takes it milliseconds; what /proc/PID/status says may lag behind.
uint64_t server_memory(void) {
    char path[64], line[256];
    unsigned long long kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", options.pid);
    FILE *file = options.pid == 0 ? NULL : fopen(path, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Rss: %llu kB", &kilobytes) == 1) break;
    fclose(file);
    return kilobytes * 1024;
}

struct moment moment_now(void) {
    return (struct moment){now(), server_time(), read_clock(CLOCK_PROCESS_CPUTIME_ID), tally};
}

struct stage stage_now(void) {
    struct stage stage = {.begin = moment_now(), .memory = server_memory()};
    stage.end = moment_now();
    return stage;
}

struct stage before_publishers, before_subscribers, after_subscribers;

// What making the connections took.
static void preparation(const char *name, uint32_t count, const struct stage *from, const struct stage *to) {
    double seconds = (double)(to->begin.time - from->end.time) / 1e9;
    printf(
        ",\"%s\":{\"connections\":%u,\"seconds\":%.4f,\"perSecond\":%.1f,\"serverSeconds\":%.4f,"
        "\"generatorShare\":%.4f,\"memoryBytes\":%lld}",
        name, count, seconds, (double)count / seconds, (double)(to->begin.server - from->end.server) / 1e9,
        (double)(to->begin.own - from->end.own) / 1e9 / seconds, (long long)(to->memory - from->memory));
}

static void latencies(const char *name, const struct histogram *histogram) {
    if (histogram->total == 0) return;
    printf(
        ",\"%s\":{\"p50\":%.4f,\"p90\":%.4f,\"p99\":%.4f,\"p999\":%.4f,\"max\":%.4f}", name,
        (double)histogram_at(histogram, 0.5) / 1e6, (double)histogram_at(histogram, 0.9) / 1e6,
        (double)histogram_at(histogram, 0.99) / 1e6, (double)histogram_at(histogram, 0.999) / 1e6,
        (double)histogram->largest / 1e6);
}

void report(const struct moment *start, const struct moment *end) {
    double seconds = (double)(end->time - start->time) / 1e9;
    uint64_t delivered = end->tally.delivered - start->tally.delivered;
    uint64_t answered = end->tally.answered - start->tally.answered;
    printf(
        "{\"label\":\"%s\",\"dialect\":\"%s\",\"mode\":\"%s\",\"sessions\":%u,\"subscribers\":%u,\"size\":%u",
        options.label, options.dialect->name,
        (const char *[]){"closed", "open", "idle"}[options.mode], options.sessions,
        options.subscribers, options.size);
    if (options.mode == OPEN) printf(",\"rate\":%g", options.rate);
    else if (options.mode == CLOSED) printf(",\"window\":%u,\"ack\":\"%s\"", options.window, options.own ? "own" : "all");
    printf(
        ",\"seconds\":%.3f,\"deliveries\":%llu,\"deliveriesPerSecond\":%.1f,\"eventsPerSecond\":%.1f"
        ",\"answersPerSecond\":%.1f",
        seconds, (unsigned long long)delivered, (double)delivered / seconds,
        (double)(end->tally.sent - start->tally.sent) / seconds, (double)answered / seconds);
    preparation("publishers", options.sessions + options.idle, &before_publishers, &before_subscribers);
    preparation(
        "subscribers", options.sessions * options.subscribers, &before_subscribers, &after_subscribers);
    printf(
        ",\"carrier\":\"%s\",\"idle\":%u,\"memoryBefore\":%llu,\"memoryAfter\":%llu",
        options.framing == &websocket_framing ? "websocket" : "stream", options.idle,
        (unsigned long long)before_publishers.memory, (unsigned long long)server_memory());
    latencies("latencyMilliseconds", &delivery_latency);
    latencies("answerMilliseconds", &answer_latency);
    latencies("sendLagMilliseconds", &send_lag);
    if (options.pid != 0) {
        double server = (double)(end->server - start->server) / 1e9;
        printf(",\"serverShare\":%.4f", server / seconds);
        if (delivered > 0) printf(",\"serverSecondsPerMillion\":%.4f", server / (double)delivered * 1e6);
    }
    printf(
        ",\"generatorShare\":%.4f,\"sent\":%llu,\"lost\":%llu,\"doubled\":%llu,\"disordered\":%llu,\"refused\":%llu"
        ",\"closed\":%llu}\n",
        (double)(end->own - start->own) / 1e9 / seconds, (unsigned long long)tally.sent,
        (unsigned long long)tally.lost, (unsigned long long)tally.doubled, (unsigned long long)tally.disordered,
        (unsigned long long)tally.refused, (unsigned long long)tally.closed);
    fflush(stdout);
    if (tally.lost || tally.doubled || tally.disordered || tally.refused || tally.closed)
        fail(
            EXIT_WRONG, "of %llu events: %llu deliveries lost, %llu doubled, %llu out of order; %llu refusals, "
            "%llu connections closed",
            (unsigned long long)tally.sent, (unsigned long long)tally.lost, (unsigned long long)tally.doubled,
            (unsigned long long)tally.disordered, (unsigned long long)tally.refused,
            (unsigned long long)tally.closed);
    if (delivered == 0 && options.mode != IDLE) fail(EXIT_WRONG, "nothing was delivered");
}
