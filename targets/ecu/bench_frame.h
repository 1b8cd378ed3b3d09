/* bench_frame.h - bytes to packets and back: 00 | COBS(packet) | 00. Knows no message. */
#ifndef BENCH_FRAME_H
#define BENCH_FRAME_H

#include "bench_protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stuffing adds one byte per 254 and one more; two delimiters. */
#define BENCH_WIRE_BYTES (BENCH_PACKET_BYTES + (BENCH_PACKET_BYTES / 254U) + 4U)

/* A packet, aligned so that the payload can be read as reals of either type. */
typedef union bench_packet_t {
    uint64_t align;
    uint8_t bytes[BENCH_WIRE_BYTES];
} bench_packet_t;

typedef enum bench_received_t {
    BENCH_RECEIVED_NOTHING = 0, /* the frame goes on, or there was none */
    BENCH_RECEIVED_PACKET = 1,
    BENCH_RECEIVED_DAMAGE = 2
} bench_received_t;

typedef struct bench_receiver_t {
    bench_packet_t packet; /* stuffed while it comes, a packet once it is whole */
    size_t filled;
    bool overflow;
    size_t payload_bytes; /* of the packet, valid after BENCH_RECEIVED_PACKET, as is its CRC */
    uint32_t crc;
} bench_receiver_t;

/* Take one byte from the line. */
bench_received_t bench_frame_take(bench_receiver_t *receiver, uint8_t byte);

/* The CRC that ends a packet, over the bytes before it. */
uint32_t bench_frame_crc(const uint8_t *bytes, size_t size);

/* Write header, payload and CRC of `packet` as a frame into `wire`; returns its bytes. */
size_t bench_frame_wrap(bench_packet_t *packet, size_t payload_bytes, uint8_t wire[BENCH_WIRE_BYTES]);

#endif /* BENCH_FRAME_H */
