/* slcan.h - CAN frames as text over a serial port (LAWICEL protocol). Knows no message.
 *
 * t iii l dd..   frame with an identifier of 11 bits, l data bytes     T iiiiiiii l dd..   the same with 29 bits
 * O L open, C close, S0..S9 and sxxxx bit rate, F status flags, V version, N serial number
 *
 * A command is answered by CR, or BEL where it cannot be done; frames that are taken are not answered.
 */
#ifndef ECU_SLCAN_H
#define ECU_SLCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLCAN_DATA_BYTES 8U
#define SLCAN_TEXT_BYTES 32U /* longest line: T, 8 digits, length, 16 digits, CR */

typedef struct slcan_frame_t {
    uint32_t id;
    bool is_extended;
    uint8_t size;
    uint8_t data[SLCAN_DATA_BYTES];
} slcan_frame_t;

typedef struct slcan_port_t {
    uint8_t line[SLCAN_TEXT_BYTES];
    size_t filled; /* beyond the room: the line is dropped at its end */
    bool is_closed;
} slcan_port_t;

/* Text to be sent back; size 0: none. */
typedef struct slcan_text_t {
    uint8_t bytes[SLCAN_TEXT_BYTES];
    size_t size;
} slcan_text_t;

/* Take one byte. True when a frame came; else `reply` holds the answer to a command that ended with this byte. */
bool slcan_take(slcan_port_t *port, uint8_t byte, slcan_frame_t *frame, slcan_text_t *reply);

/* A frame as a line. */
void slcan_write(const slcan_frame_t *frame, slcan_text_t *text);

#endif /* ECU_SLCAN_H */
