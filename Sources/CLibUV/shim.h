#pragma once

#include <uv.h>

// Swift sees each handle type as a structure of its own, without C's common beginning. These casts
// are the up-casts that libuv's documentation allows for every handle.
static inline uv_handle_t *cuv_tcp_handle(uv_tcp_t *tcp) { return (uv_handle_t *)tcp; }
static inline uv_stream_t *cuv_tcp_stream(uv_tcp_t *tcp) { return (uv_stream_t *)tcp; }
static inline uv_handle_t *cuv_timer_handle(uv_timer_t *timer) { return (uv_handle_t *)timer; }
static inline uv_handle_t *cuv_signal_handle(uv_signal_t *signal) { return (uv_handle_t *)signal; }
static inline uv_handle_t *cuv_async_handle(uv_async_t *async) { return (uv_handle_t *)async; }
static inline uv_handle_t *cuv_prepare_handle(uv_prepare_t *prepare) { return (uv_handle_t *)prepare; }
static inline uv_handle_t *cuv_check_handle(uv_check_t *check) { return (uv_handle_t *)check; }
static inline uv_handle_t *cuv_idle_handle(uv_idle_t *idle) { return (uv_handle_t *)idle; }
static inline uv_tcp_t *cuv_stream_tcp(uv_stream_t *stream) { return (uv_tcp_t *)stream; }
