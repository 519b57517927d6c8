#include "load.h"

#include <stdio.h>
#include <string.h>

// MQTT 3.1.1. Its texts are whole packets. Events go out with quality of service 0, or 1 where each must
// be answered (`--ack own`); subscribers take them with 0.

enum { CONNECT = 1, CONNACK = 2, PUBLISH = 3, PUBACK = 4, SUBSCRIBE = 8, SUBACK = 9, LENGTH_BYTES = 4 };

// Writes a packet's first byte and its length; the packet has less than 2 MB.
static size_t head(unsigned first, size_t rest, char *text) {
    size_t count = 0;
    text[count++] = (char)first;
    do {
        text[count++] = (char)((rest & 127) | (rest > 127 ? 128 : 0));
        rest >>= 7;
    } while (rest > 0);
    return count;
}

static size_t put_text(const char *value, size_t length, char *text) {
    text[0] = (char)(length >> 8);
    text[1] = (char)length;
    memcpy(text + 2, value, length);
    return length + 2;
}

static size_t prepare(const struct connection *connection, char *text) {
    char name[32], body[SCRIPT_LIMIT / 2];
    size_t count = 0;
    if (connection->step == 0) {
        int length = snprintf(name, sizeof name, "c%u-%u", connection->session, connection->place);
        count += put_text("MQTT", 4, body);
        memcpy(body + count, "\x04\x02\0\0", 4); // level 4, clean session, no keep-alive
        count += 4;
        count += put_text(name, (size_t)length, body + count);
        size_t first = head(CONNECT << 4, count, text);
        memcpy(text + first, body, count);
        return first + count;
    }
    if (connection->place == 0 || connection->step > 1) return 0;
    int length = snprintf(name, sizeof name, "bench/%u", connection->session);
    memcpy(body, "\0\1", 2);
    count = 2 + put_text(name, (size_t)length, body + 2);
    body[count++] = 0;
    size_t first = head(SUBSCRIBE << 4 | 2, count, text);
    memcpy(text + first, body, count);
    return first + count;
}

static int prepared(const struct connection *connection, const char *line, size_t length) {
    unsigned char expected = connection->step == 0 ? CONNACK : SUBACK;
    bool good = (unsigned char)line[0] >> 4 == expected && length >= 4;
    // The last byte is a code: 0, or the granted quality of service.
    return good && line[length - 1] == 0 ? DONE : REFUSED;
}

static size_t event(uint32_t session, uint32_t number, uint64_t due, char *text) {
    char body[EVENT_LIMIT / 2 + 128], topic[32];
    int length = snprintf(topic, sizeof topic, "bench/%u", session);
    size_t count = put_text(topic, (size_t)length, body);
    if (options.own) {
        unsigned id = number % 65535 + 1;
        body[count++] = (char)(id >> 8);
        body[count++] = (char)id;
    }
    count += plain_event(number, due, body + count);
    size_t first = head(PUBLISH << 4 | (options.own ? 2 : 0), count, text);
    memcpy(text + first, body, count);
    return first + count;
}

static struct arrival read(const struct connection *connection, const char *line, size_t length) {
    struct arrival arrival = {.kind = REFUSAL, .number = connection->next};
    unsigned kind = (unsigned char)line[0] >> 4;
    if (kind == PUBACK) arrival.kind = ANSWER;
    else if (kind == PUBLISH && mark_read(line, length, &arrival.number, &arrival.due)) arrival.kind = EVENT;
    return arrival;
}

static size_t take(struct connection *connection, char *bytes, size_t count, uint64_t time) {
    size_t taken = 0;
    while (count - taken >= 2) {
        const unsigned char *packet = (const unsigned char *)bytes + taken;
        size_t left = count - taken, rest = 0, place = 1;
        do {
            if (place == left || place > LENGTH_BYTES) return taken;
            rest |= (size_t)(packet[place] & 127) << 7 * (place - 1);
        } while (packet[place++] & 128);
        if (left - place < rest) break;
        taken += place + rest;
        ledger_message(connection, (const char *)packet, place + rest, time);
    }
    return taken;
}

static size_t wrap(const char *text, size_t length, char *frame) {
    memcpy(frame, text, length);
    return length;
}

const struct framing mqtt_framing = {.take = take, .wrap = wrap};
const struct dialect mqtt_dialect = {
    .name = "mqtt", .framing = &mqtt_framing, .prepare = prepare, .prepared = prepared, .event = event,
    .read = read};
