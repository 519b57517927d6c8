#include "load.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

void fail(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "bench-load: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(code);
}

int main(int count, char **arguments) {
    options_parse(count, arguments);
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    // The kernel may end a wait 50 µs late by default, which is a good part of what is measured.
    prctl(PR_SET_TIMERSLACK, 1000);
    connections_open();
    run();
    return 0;
}
