#include "load.h"

#include <stdio.h>
#include <stdlib.h>
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

struct moment moment_now(void) {
    return (struct moment){now(), server_time(), read_clock(CLOCK_PROCESS_CPUTIME_ID), tally};
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
        options.label, options.dialect->name, options.open ? "open" : "closed", options.sessions,
        options.subscribers, options.size);
    if (options.open) printf(",\"rate\":%g", options.rate);
    else printf(",\"window\":%u,\"ack\":\"%s\"", options.window, options.own ? "own" : "all");
    printf(
        ",\"seconds\":%.3f,\"deliveries\":%llu,\"deliveriesPerSecond\":%.1f,\"eventsPerSecond\":%.1f"
        ",\"answersPerSecond\":%.1f",
        seconds, (unsigned long long)delivered, (double)delivered / seconds,
        (double)(end->tally.sent - start->tally.sent) / seconds, (double)answered / seconds);
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
    if (delivered == 0) fail(EXIT_WRONG, "nothing was delivered");
}
