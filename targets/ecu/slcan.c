/* slcan.c - lines to frames and back. */
#include "slcan.h"

#define CR  UINT8_C(0x0D)
#define BEL UINT8_C(0x07)

#define STANDARD_DIGITS 3U
#define EXTENDED_DIGITS 8U
#define LARGEST_STANDARD UINT32_C(0x7FF)
#define LARGEST_EXTENDED UINT32_C(0x1FFFFFFF)
#define NOT_A_DIGIT 16U

static uint32_t value_of(const uint8_t digit)
{
    if ((digit >= (uint8_t)'0') && (digit <= (uint8_t)'9')) {
        return (uint32_t)digit - (uint32_t)'0';
    }
    if ((digit >= (uint8_t)'A') && (digit <= (uint8_t)'F')) {
        return (uint32_t)digit - (uint32_t)'A' + 10U;
    }
    if ((digit >= (uint8_t)'a') && (digit <= (uint8_t)'f')) {
        return (uint32_t)digit - (uint32_t)'a' + 10U;
    }
    return NOT_A_DIGIT;
}

/* `count` digits as a number; false where one is none. */
static bool read_number(const uint8_t *const digits, const size_t count, uint32_t *const number)
{
    bool is_number = true;
    *number = 0U;
    for (size_t i = 0U; i < count; i++) {
        const uint32_t value = value_of(digits[i]);
        is_number = is_number && (value < NOT_A_DIGIT);
        *number = (*number << 4U) | (value & 0xFU);
    }
    return is_number;
}

/* `digits`: of the identifier. Anything too short, too long or not hexadecimal is no frame. */
static bool read_frame(const slcan_port_t *const port, const size_t digits, slcan_frame_t *const frame)
{
    const size_t head = 2U + digits; /* letter, identifier, length */
    uint32_t size = 0U;
    frame->is_extended = (digits == EXTENDED_DIGITS);
    if ((port->filled < head) || !read_number(&port->line[1], digits, &frame->id) ||
        !read_number(&port->line[1U + digits], 1U, &size) || (size > SLCAN_DATA_BYTES) ||
        (port->filled != (head + (2U * size)))) {
        return false;
    }
    bool is_data = frame->id <= (frame->is_extended ? LARGEST_EXTENDED : LARGEST_STANDARD);
    frame->size = (uint8_t)size;
    for (size_t i = 0U; i < size; i++) {
        uint32_t byte = 0U;
        is_data = is_data && read_number(&port->line[head + (2U * i)], 2U, &byte);
        frame->data[i] = (uint8_t)byte;
    }
    return is_data;
}

static void put(slcan_text_t *const text, const uint8_t byte)
{
    text->bytes[text->size] = byte;
    text->size++;
}

static void put_text(slcan_text_t *const text, const char *const letters)
{
    for (size_t i = 0U; letters[i] != '\0'; i++) {
        put(text, (uint8_t)letters[i]);
    }
}

static void put_number(slcan_text_t *const text, const uint32_t number, const size_t digits)
{
    static const char digit[] = "0123456789ABCDEF";
    for (size_t i = digits; i > 0U; i--) {
        put(text, (uint8_t)digit[(number >> (4U * (i - 1U))) & 0xFU]);
    }
}

/* A line that is no frame. The controller behind this port is the device itself: it is never bus-off. */
static void command(slcan_port_t *const port, slcan_text_t *const reply)
{
    const uint8_t letter = port->line[0];
    uint8_t end = CR;
    switch (letter) {
    case (uint8_t)'O':
    case (uint8_t)'L':
        port->is_closed = false;
        break;
    case (uint8_t)'C':
        port->is_closed = true;
        break;
    case (uint8_t)'F':
        put_text(reply, "F00");
        break;
    case (uint8_t)'V':
        put_text(reply, "V1010");
        break;
    case (uint8_t)'N':
        put_text(reply, "NKFX0");
        break;
    case (uint8_t)'S':
    case (uint8_t)'s':
        break;
    default:
        end = BEL;
        break;
    }
    put(reply, end);
}

static bool end_line(slcan_port_t *const port, slcan_frame_t *const frame, slcan_text_t *const reply)
{
    const uint8_t letter = port->line[0];
    const bool is_frame = (letter == (uint8_t)'t') || (letter == (uint8_t)'T');
    if (port->filled > SLCAN_TEXT_BYTES) {
        put(reply, BEL);
        return false;
    }
    if (!is_frame) {
        command(port, reply);
        return false;
    }
    const size_t digits = (letter == (uint8_t)'t') ? STANDARD_DIGITS : EXTENDED_DIGITS;
    const bool is_taken = !port->is_closed && read_frame(port, digits, frame);
    if (!is_taken) {
        put(reply, BEL);
    }
    return is_taken;
}

bool slcan_take(slcan_port_t *const port, const uint8_t byte, slcan_frame_t *const frame, slcan_text_t *const reply)
{
    bool is_frame = false;
    reply->size = 0U;
    if (byte != CR) {
        if (port->filled < SLCAN_TEXT_BYTES) {
            port->line[port->filled] = byte;
        }
        port->filled += (port->filled <= SLCAN_TEXT_BYTES) ? 1U : 0U;
    } else if (port->filled > 0U) {
        is_frame = end_line(port, frame, reply);
        port->filled = 0U;
    } else {
        /* an empty line clears what was there */
    }
    return is_frame;
}

void slcan_write(const slcan_frame_t *const frame, slcan_text_t *const text)
{
    text->size = 0U;
    put(text, frame->is_extended ? (uint8_t)'T' : (uint8_t)'t');
    put_number(text, frame->id, frame->is_extended ? EXTENDED_DIGITS : STANDARD_DIGITS);
    put_number(text, frame->size, 1U);
    for (size_t i = 0U; i < frame->size; i++) {
        put_number(text, frame->data[i], 2U);
    }
    put(text, CR);
}
