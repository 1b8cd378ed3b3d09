/* bench_crc.h - CRC-32 as zlib has it, for frames and for the digest of a free run.
 *
 * What goes through the functions is the register: begin with BENCH_CRC_START, invert at the end.
 */
#ifndef BENCH_CRC_H
#define BENCH_CRC_H

#include <stddef.h>
#include <stdint.h>

#define BENCH_CRC_START UINT32_MAX

uint32_t bench_crc_bytes(uint32_t crc, const uint8_t *bytes, size_t size);

/* The four bytes of a word, the lowest first. */
uint32_t bench_crc_word(uint32_t crc, uint32_t word);

#endif /* BENCH_CRC_H */
