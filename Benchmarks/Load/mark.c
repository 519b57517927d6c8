#include "load.h"

#include <stdio.h>
#include <string.h>

// `@`, eight digits of the number, sixteen of the time; hexadecimal, no character that JSON escapes.

static char *write_digits(uint64_t value, int digits, char *text) {
    for (int i = digits - 1; i >= 0; i--) *text++ = "0123456789abcdef"[value >> (4 * i) & 15];
    return text;
}

void mark_write(uint32_t number, uint64_t due, char *text) {
    *text = '@';
    write_digits(due, 16, write_digits(number, 8, text + 1));
}

static bool read_digits(const char *text, int digits, uint64_t *value) {
    *value = 0;
    for (int i = 0; i < digits; i++) {
        unsigned digit = (unsigned char)text[i];
        if (digit - '0' < 10) digit -= '0';
        else if (digit - 'a' < 6) digit -= 'a' - 10;
        else return false;
        *value = *value << 4 | digit;
    }
    return true;
}

bool mark_read(const char *line, size_t length, uint32_t *number, uint64_t *due) {
    const char *mark = memchr(line, '@', length);
    uint64_t wide;
    if (!mark || line + length - mark < MARK_LENGTH || !read_digits(mark + 1, 8, &wide) ||
        !read_digits(mark + 9, 16, due))
        return false;
    *number = (uint32_t)wide;
    return true;
}

size_t pad_to_size(char *text, size_t length, const char *end) {
    size_t rest = strlen(end);
    while (length + rest < options.size) text[length++] = 'x';
    memcpy(text + length, end, rest);
    return length + rest;
}

size_t plain_event(uint32_t number, uint64_t due, char *text) {
    char mark[MARK_LENGTH + 1] = {0};
    mark_write(number, due, mark);
    int length = snprintf(
        text, EVENT_LIMIT, "{\"type\":\"betslip.update\",\"stake\":\"%u.50\",\"mark\":\"%s\",\"pad\":\"",
        number % 100000 + 1, mark);
    return pad_to_size(text, (size_t)length, "\"}");
}
