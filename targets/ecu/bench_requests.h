/* bench_requests.h - what each request does. Knows payloads; frames, sequence numbers and sessions are bench_main.c's. */
#ifndef BENCH_REQUESTS_H
#define BENCH_REQUESTS_H

#include "bench_protocol.h"

#include <stddef.h>
#include <stdint.h>

typedef struct bench_request_t {
    bench_type_t type;
    uint16_t flags;
    const uint8_t *payload; /* aligned to 8 bytes */
    size_t size;
} bench_request_t;

/* The payload of an answer: room for BENCH_PAYLOAD_BYTES. */
typedef struct bench_answer_t {
    uint8_t *payload; /* aligned to 8 bytes */
    size_t size;
} bench_answer_t;

/* Do it and fill in the answer; BENCH_REASON_NONE, or why not (then nothing was done). */
bench_reason_t bench_request_serve(const bench_request_t *request, bench_answer_t *answer);

/* Copy bytes; the ranges do not overlap. */
void bench_bytes_copy(const void *from, void *to, size_t size);

#endif /* BENCH_REQUESTS_H */
