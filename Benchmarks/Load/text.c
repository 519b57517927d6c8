#include "load.h"

#include <string.h>

bool starts(const char *line, size_t length, const char *text) {
    size_t size = strlen(text);
    return length >= size && memcmp(line, text, size) == 0;
}

bool equals(const char *line, size_t length, const char *text) {
    return length == strlen(text) && memcmp(line, text, length) == 0;
}

bool holds(const char *line, size_t length, const char *text) {
    return memmem(line, length, text, strlen(text)) != NULL;
}
