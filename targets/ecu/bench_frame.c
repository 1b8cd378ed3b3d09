/* bench_frame.c - consistent overhead byte stuffing, and the CRC at the end of a packet. */
#include "bench_frame.h"

#include "bench_crc.h"

#define BLOCK_CODE 0xFFU /* 254 bytes follow, and no zero behind them */

/* Undo the stuffing in place; returns the bytes of the packet, 0 when a code points past the end. */
static size_t unstuff(uint8_t *const bytes, const size_t size)
{
    size_t from = 0U;
    size_t to = 0U;
    while (from < size) {
        const size_t code = bytes[from];
        if ((from + code) > size) {
            return 0U;
        }
        for (size_t i = 1U; i < code; i++) {
            bytes[to] = bytes[from + i];
            to++;
        }
        from += code;
        if ((code < BLOCK_CODE) && (from < size)) {
            bytes[to] = 0U;
            to++;
        }
    }
    return to;
}

uint32_t bench_frame_crc(const uint8_t *const bytes, const size_t size)
{
    return ~bench_crc_bytes(BENCH_CRC_START, bytes, size);
}

static uint32_t read_word(const uint8_t *const bytes)
{
    return (uint32_t)bytes[0] | ((uint32_t)bytes[1] << 8U) | ((uint32_t)bytes[2] << 16U) | ((uint32_t)bytes[3] << 24U);
}

static void write_word(uint8_t *const bytes, const uint32_t word)
{
    for (uint32_t i = 0U; i < 4U; i++) {
        bytes[i] = (uint8_t)(word >> (8U * i));
    }
}

/* A frame ended: is it a packet? An empty frame is what stands between two delimiters. */
static bench_received_t finish(bench_receiver_t *const receiver)
{
    if ((receiver->filled == 0U) && !receiver->overflow) {
        return BENCH_RECEIVED_NOTHING;
    }
    const size_t size = receiver->overflow ? 0U : unstuff(receiver->packet.bytes, receiver->filled);
    const size_t least = BENCH_HEADER_BYTES + BENCH_CRC_BYTES;
    receiver->filled = 0U;
    receiver->overflow = false;
    if ((size < least) || (size > BENCH_PACKET_BYTES)) {
        return BENCH_RECEIVED_DAMAGE;
    }
    const size_t covered = size - BENCH_CRC_BYTES;
    receiver->payload_bytes = size - least;
    receiver->crc = read_word(&receiver->packet.bytes[covered]);
    return (bench_frame_crc(receiver->packet.bytes, covered) == receiver->crc) ? BENCH_RECEIVED_PACKET : BENCH_RECEIVED_DAMAGE;
}

bench_received_t bench_frame_take(bench_receiver_t *const receiver, const uint8_t byte)
{
    if (byte == 0U) {
        return finish(receiver);
    }
    if (receiver->filled < sizeof receiver->packet.bytes) {
        receiver->packet.bytes[receiver->filled] = byte;
        receiver->filled++;
    } else {
        receiver->overflow = true;
    }
    return BENCH_RECEIVED_NOTHING;
}

/* Stuff `size` bytes; returns the bytes written. A final block of 254 bytes gets no trailing code. */
static size_t stuff(const uint8_t *const bytes, const size_t size, uint8_t *const to)
{
    size_t code_at = 0U;
    size_t filled = 1U;
    for (size_t i = 0U; i < size; i++) {
        if (bytes[i] != 0U) {
            to[filled] = bytes[i];
            filled++;
        }
        const bool is_full = (filled - code_at) == BLOCK_CODE;
        if ((bytes[i] == 0U) || (is_full && (i + 1U < size))) {
            to[code_at] = (uint8_t)(filled - code_at);
            code_at = filled;
            filled++;
        }
    }
    to[code_at] = (uint8_t)(filled - code_at);
    return filled;
}

size_t bench_frame_wrap(bench_packet_t *const packet, const size_t payload_bytes, uint8_t wire[BENCH_WIRE_BYTES])
{
    const size_t covered = BENCH_HEADER_BYTES + payload_bytes;
    write_word(&packet->bytes[covered], bench_frame_crc(packet->bytes, covered));
    wire[0] = 0U;
    const size_t stuffed = stuff(packet->bytes, covered + BENCH_CRC_BYTES, &wire[1]);
    wire[1U + stuffed] = 0U;
    return stuffed + 2U;
}
