#include "floor.h"

#include <stdint.h>
#include <string.h>

enum { BUCKETS = 8192 };

static struct session *table[BUCKETS];
static size_t sessions;

// FNV-1a.
static size_t bucket(const char *name, size_t length) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    return hash % BUCKETS;
}

struct session *session_named(const char *name, size_t length) {
    if (length == 0 || length > SESSION_NAME_LIMIT) return NULL;
    struct session **head = &table[bucket(name, length)];
    for (struct session *each = *head; each; each = each->next)
        if (strlen(each->name) == length && memcmp(each->name, name, length) == 0) return each;
    if (sessions == SESSION_LIMIT) return NULL;
    sessions++;
    struct session *made = allocate(NULL, sizeof *made);
    *made = (struct session){.next = *head};
    memcpy(made->name, name, length);
    *head = made;
    return made;
}

void session_add(struct session *session, struct connection *subscriber) {
    if (session->count == session->capacity) {
        session->capacity = session->capacity ? session->capacity * 2 : 4;
        session->subscribers =
            allocate(session->subscribers, session->capacity * sizeof *session->subscribers);
    }
    subscriber->place = session->count;
    session->subscribers[session->count++] = subscriber;
}

void session_remove(struct connection *subscriber) {
    struct session *session = subscriber->session;
    struct connection *last = session->subscribers[--session->count];
    session->subscribers[subscriber->place] = last;
    last->place = subscriber->place;
}
