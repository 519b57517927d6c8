#pragma once

#include <uv.h>

// libuv's handles inherit by layout: every handle starts with the fields of uv_handle_t, every TCP
// handle with those of uv_stream_t. C casts between them; Swift has typed pointers and no such
// cast, and rebinding memory would claim that it holds another type. Each helper below is one of
// those documented up-casts and nothing else.

// uv_close, uv_ref and the data field are reached through the base handle.
static inline uv_handle_t *cuv_tcp_handle(uv_tcp_t *tcp) { return (uv_handle_t *)tcp; }

// Reading, writing and shutting down are calls of the stream, not of the TCP handle.
static inline uv_stream_t *cuv_tcp_stream(uv_tcp_t *tcp) { return (uv_stream_t *)tcp; }

// Closing a timer.
static inline uv_handle_t *cuv_timer_handle(uv_timer_t *timer) { return (uv_handle_t *)timer; }

// Closing a signal watcher.
static inline uv_handle_t *cuv_signal_handle(uv_signal_t *signal) { return (uv_handle_t *)signal; }

// Closing the watcher of a listening socket.
static inline uv_handle_t *cuv_poll_handle(uv_poll_t *poll) { return (uv_handle_t *)poll; }

// Closing the loop's own wake-up handle.
static inline uv_handle_t *cuv_async_handle(uv_async_t *async) { return (uv_handle_t *)async; }

// Closing the loop's own handle that runs before it waits.
static inline uv_handle_t *cuv_prepare_handle(uv_prepare_t *prepare) {
    return (uv_handle_t *)prepare;
}

// Closing the loop's own handle that runs after it waited.
static inline uv_handle_t *cuv_check_handle(uv_check_t *check) { return (uv_handle_t *)check; }

// Closing the loop's own handle that keeps it from waiting.
static inline uv_handle_t *cuv_idle_handle(uv_idle_t *idle) { return (uv_handle_t *)idle; }

// The sockets API passes every address family as sockaddr, which is a cast by design.
static inline struct sockaddr *cuv_sockaddr(struct sockaddr_storage *storage) {
    return (struct sockaddr *)storage;
}

// uv_ip4_addr and uv_ip4_name want the IPv4 view of that storage.
static inline struct sockaddr_in *cuv_sockaddr_in(struct sockaddr_storage *storage) {
    return (struct sockaddr_in *)storage;
}

// uv_ip6_addr and uv_ip6_name want the IPv6 view of that storage.
static inline struct sockaddr_in6 *cuv_sockaddr_in6(struct sockaddr_storage *storage) {
    return (struct sockaddr_in6 *)storage;
}

// Every kind of request fits into libuv's union of them, so one Swift class serves all. These name
// its members, whose addresses Swift's view of a union does not give.
static inline uv_req_t *cuv_request(union uv_any_req *request) { return &request->req; }
static inline uv_write_t *cuv_write_request(union uv_any_req *request) { return &request->write; }
static inline uv_connect_t *cuv_connect_request(union uv_any_req *request) { return &request->connect; }
static inline uv_shutdown_t *cuv_shutdown_request(union uv_any_req *request) {
    return &request->shutdown;
}

// Accepts a connection, non-blocking and closed on exec in the same step. The C library declares
// accept4 only to programs that ask for GNU extensions, which a header cannot do for Swift.
static inline int cuv_accept(int listener, struct sockaddr_storage *peer, socklen_t *size) {
    extern int accept4(int, struct sockaddr *, socklen_t *, int);
    return accept4(listener, (struct sockaddr *)peer, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// Names the calling thread for debuggers; a GNU extension as well.
static inline int cuv_name_thread(const char *name) {
    extern int pthread_setname_np(pthread_t, const char *);
    return pthread_setname_np(pthread_self(), name);
}
