/* bench_can.h - packets of the bench over CAN: docs/can.md in C. The Python side is hil/can.
 *
 * Rows and parameters travel as signals, so that any CAN tool can send and read them by the DBC; a COMMIT frame ends a
 * request and a RESULT frame an answer, with number and CRC of the packet that they stand for. All other packets are a
 * stream of bytes in frames of two identifiers.
 */
#ifndef BENCH_CAN_H
#define BENCH_CAN_H

#include "bench_frame.h"
#include "slcan.h"

#include <stddef.h>
#include <stdint.h>

/* The first of the identifiers, which follow one another; above 0x7FF they have 29 bits. */
#ifndef BENCH_CAN_BASE
#define BENCH_CAN_BASE UINT32_C(0x400)
#endif

typedef enum bench_can_kind_t {
    BENCH_CAN_OTHER = 0,   /* foreign, or one of ours that only fills in values */
    BENCH_CAN_STREAM = 1,  /* its data are bytes of the stream */
    BENCH_CAN_COMMIT = 2   /* the values that came before are a request */
} bench_can_kind_t;

/* Take one frame. */
bench_can_kind_t bench_can_take(const slcan_frame_t *frame);

/* The request that a COMMIT frame stands for, in the session that is open. */
bench_received_t bench_can_gather(const slcan_frame_t *commit, uint16_t session, bench_receiver_t *receiver);

typedef void bench_can_sink_t(const slcan_frame_t *frame);

/* Send the answer to a request that came as signals; its CRC stands behind its payload. False: it is none that has
 * signals, and belongs into the stream. */
bool bench_can_answer(const bench_packet_t *packet, size_t payload_bytes, bench_can_sink_t *sink);

/* Send bytes of the stream. */
void bench_can_stream(const uint8_t *bytes, size_t size, bench_can_sink_t *sink);

#endif /* BENCH_CAN_H */
