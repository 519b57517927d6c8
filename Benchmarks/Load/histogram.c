#include "load.h"

// Values below 64 have a bucket each; every power of two above has 64 buckets of equal width.

struct histogram delivery_latency, answer_latency, send_lag;

static unsigned bucket(uint64_t value) {
    if (value < 64) return (unsigned)value;
    unsigned shift = 57 - (unsigned)__builtin_clzll(value);
    return (shift + 1) * 64 + (unsigned)(value >> shift & 63);
}

// The middle of a bucket.
static uint64_t value_of(unsigned bucket) {
    if (bucket < 64) return bucket;
    unsigned shift = bucket / 64 - 1;
    uint64_t width = (uint64_t)1 << shift;
    return ((64 + bucket % 64) << shift) + width / 2;
}

void histogram_add(struct histogram *histogram, uint64_t value) {
    histogram->counts[bucket(value)]++;
    histogram->total++;
    if (value > histogram->largest) histogram->largest = value;
}

uint64_t histogram_at(const struct histogram *histogram, double share) {
    uint64_t rank = (uint64_t)(share * (double)histogram->total);
    for (unsigned i = 0, buckets = sizeof histogram->counts / sizeof *histogram->counts; i < buckets; i++) {
        if (rank < histogram->counts[i]) {
            uint64_t value = value_of(i);
            return value < histogram->largest ? value : histogram->largest;
        }
        rank -= histogram->counts[i];
    }
    return histogram->largest;
}
