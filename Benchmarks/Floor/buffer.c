#include "floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *allocate(void *old, size_t bytes) {
    void *memory = realloc(old, bytes);
    if (!memory) {
        fprintf(stderr, "bench-floor: out of memory\n");
        exit(1);
    }
    return memory;
}

void buffer_append(struct buffer *buffer, const char *bytes, size_t count) {
    if (count == 0) return; // also from or to no memory at all
    size_t needed = buffer->count + count;
    if (needed > buffer->capacity) {
        size_t capacity = buffer->capacity ? buffer->capacity : 512;
        while (capacity < needed) capacity *= 2;
        buffer->bytes = allocate(buffer->bytes, capacity);
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count = needed;
}
