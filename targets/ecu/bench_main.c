/* bench_main.c - firmware of the bench: receives packets, keeps the session, answers, and sleeps in between.
 *
 * Packets come over two ports, as bytes or in CAN frames, and are answered where they came from.
 * Requests are numbered through from the reset on, over all sessions. One that comes again is answered from the cache,
 * one that comes late is refused: neither steps the model twice.
 */
#include "bench_can.h"
#include "bench_frame.h"
#include "bench_identity.h"
#include "bench_parameters.h"
#include "bench_requests.h"
#include "bench_run.h"
#include "model.h"
#include "slcan.h"
#include "startup.h"
#include "uart.h"

#include <stdbool.h>
#include <stdint.h>

#ifndef BENCH_BAUD
#define BENCH_BAUD UINT32_C(115200)
#endif

#define READ_BYTES 64U

typedef struct session_t {
    uint16_t number;  /* 0: none is open */
    uint16_t last;    /* sequence number of the last request that was served, in whatever session */
    uint32_t damaged; /* frames that were no packet */
    bool announces;   /* the end of a free run has still to be told */
} session_t;

static session_t session;
static bench_receiver_t line;         /* of bytes over the serial line */
static bench_receiver_t stream;       /* of bytes over CAN */
static bench_receiver_t signals;      /* of a request that came as signals */
static const bench_receiver_t *heard; /* the one of these that holds the packet that is served */
static ecu_port_t port;               /* the one it came over */
static slcan_port_t slcan;
static bench_packet_t answer;
static size_t answer_payload; /* of the last answer, for a repeated request; 0 is a payload too */
static uint32_t answered_crc; /* of the request that it answers, all its bytes */
static bool has_answer;
static bench_packet_t event;  /* whatever is not kept */
static uint8_t wire[BENCH_WIRE_BYTES];

static void write_frame(const slcan_frame_t *const frame)
{
    slcan_text_t text;
    slcan_write(frame, &text);
    ecu_uart_write(ECU_PORT_1, text.bytes, text.size);
}

static void send_bytes(bench_packet_t *const packet, const size_t payload_bytes)
{
    const size_t size = bench_frame_wrap(packet, payload_bytes, wire);
    if (port == ECU_PORT_1) {
        bench_can_stream(wire, size, &write_frame);
    } else {
        ecu_uart_write(ECU_PORT_0, wire, size);
    }
}

static void send_with_header(bench_packet_t *const packet, const bench_header_t *const header, const size_t payload_bytes)
{
    bench_bytes_copy(header, packet->bytes, sizeof *header);
    send_bytes(packet, payload_bytes);
}

/* An answer travels as its request did. */
static void send_answer(bench_packet_t *const packet, const bench_header_t *const header, const size_t payload_bytes)
{
    bench_bytes_copy(header, packet->bytes, sizeof *header);
    (void)bench_frame_wrap(packet, payload_bytes, wire); /* for the CRC behind the payload */
    if ((heard != &signals) || !bench_can_answer(packet, payload_bytes, &write_frame)) {
        send_bytes(packet, payload_bytes);
    }
}

static void send_event(const bench_type_t type, const void *const payload, const size_t size)
{
    const uint8_t version = (type == BENCH_TYPE_BOOT) ? BENCH_BOOT_VERSION : BENCH_VERSION;
    const bench_header_t header = {version, (uint8_t)type, session.number, BENCH_FLAG_EVENT, session.last};
    bench_bytes_copy(payload, &event.bytes[BENCH_HEADER_BYTES], size);
    send_with_header(&event, &header, size);
}

static bench_nack_t nack_of(const bench_reason_t reason, const uint8_t type)
{
    const bench_nack_t nack = {
        .reason = (uint8_t)reason,
        .type = type,
        .expected = (uint16_t)(session.last + 1U),
        .damaged = session.damaged,
        .lost_bytes = ecu_uart_lost(port),
    };
    return nack;
}

/* Refuse what is out of turn: not an answer to be kept. In the version of the request, so that its sender reads it. */
static void refuse(const bench_header_t *const request, const bench_reason_t reason)
{
    const bench_header_t header = {request->version, (uint8_t)BENCH_TYPE_NACK, request->session, BENCH_FLAG_REPLY,
                                   request->sequence};
    const bench_nack_t nack = nack_of(reason, request->type);
    bench_bytes_copy(&nack, &event.bytes[BENCH_HEADER_BYTES], sizeof nack);
    send_with_header(&event, &header, sizeof nack);
}

/* Whoever asks is told who this is; it changes nothing, and no answer is lost by it. */
static void greet(const bench_header_t *const request)
{
    const bench_header_t header = {BENCH_VERSION, (uint8_t)BENCH_TYPE_HELLO, request->session, BENCH_FLAG_REPLY,
                                   request->sequence};
    bench_answer_t given = {&event.bytes[BENCH_HEADER_BYTES], 0U};
    bench_identity_hello((uint16_t)(session.last + 1U), &given);
    send_with_header(&event, &header, given.size);
}

/* Everything but OPEN belongs to the session that is open; all are numbered through. */
static bench_reason_t check(const bench_header_t *const request)
{
    const bool is_open = (request->type == (uint8_t)BENCH_TYPE_OPEN);
    const bool is_ours = (request->session != 0U) && (is_open || (request->session == session.number));
    if (!is_ours) {
        return BENCH_REASON_NO_SESSION;
    }
    return (request->sequence == (uint16_t)(session.last + 1U)) ? BENCH_REASON_NONE : BENCH_REASON_OUT_OF_ORDER;
}

/* The very request, all bytes of it, that was served last. */
static bool is_repeated(const bench_header_t *const request)
{
    bench_header_t header;
    bench_bytes_copy(answer.bytes, &header, sizeof header);
    return has_answer && (header.session == request->session) && (header.sequence == request->sequence) &&
           (answered_crc == heard->crc);
}

static void repeat_answer(void)
{
    bench_header_t header;
    bench_bytes_copy(answer.bytes, &header, sizeof header);
    header.flags |= BENCH_FLAG_REPEATED;
    send_answer(&answer, &header, answer_payload);
}

static void enter(const bench_header_t *const request)
{
    if (request->type == (uint8_t)BENCH_TYPE_OPEN) {
        session.number = request->session;
        session.announces = false;
    }
    session.announces = session.announces || (request->type == (uint8_t)BENCH_TYPE_RUN);
}

static void serve(const bench_header_t *const request)
{
    const bench_request_t asked = {(bench_type_t)request->type, request->flags,
                                   &heard->packet.bytes[BENCH_HEADER_BYTES], heard->payload_bytes};
    bench_answer_t given = {&answer.bytes[BENCH_HEADER_BYTES], 0U};
    bench_header_t header = {BENCH_VERSION, request->type, request->session, BENCH_FLAG_REPLY, request->sequence};
    const bench_reason_t reason = bench_request_serve(&asked, &given);
    session.last = request->sequence;
    if (reason == BENCH_REASON_NONE) {
        enter(request);
    } else {
        const bench_nack_t nack = nack_of(reason, request->type);
        header.type = (uint8_t)BENCH_TYPE_NACK;
        given.size = sizeof nack;
        bench_bytes_copy(&nack, given.payload, sizeof nack);
    }
    answer_payload = given.size;
    answered_crc = heard->crc;
    has_answer = true;
    send_answer(&answer, &header, given.size);
}

static void take_numbered(const bench_header_t *const request)
{
    const bench_reason_t reason = check(request);
    if (reason == BENCH_REASON_NONE) {
        serve(request);
    } else {
        refuse(request, reason);
    }
}

static void take_packet(void)
{
    bench_header_t request;
    bench_bytes_copy(heard->packet.bytes, &request, sizeof request);
    if ((request.flags & (BENCH_FLAG_REPLY | BENCH_FLAG_EVENT)) != 0U) {
        /* an echo of the line: devices send these */
    } else if (request.version != BENCH_VERSION) {
        refuse(&request, BENCH_REASON_OTHER_VERSION);
    } else if (request.type == (uint8_t)BENCH_TYPE_HELLO) {
        greet(&request);
    } else if (is_repeated(&request)) {
        repeat_answer();
    } else {
        take_numbered(&request);
    }
}

static void take_damage(void)
{
    session.damaged++;
    const bench_nack_t nack = nack_of(BENCH_REASON_UNDECODABLE, (uint8_t)BENCH_TYPE_NONE);
    send_event(BENCH_TYPE_NACK, &nack, sizeof nack);
}

/* Something came over this port: a packet, damage, or a part of a packet. */
static void take(const bench_received_t received, const bench_receiver_t *const receiver, const ecu_port_t from)
{
    if (received == BENCH_RECEIVED_NOTHING) {
        return;
    }
    heard = receiver;
    port = from;
    if (received == BENCH_RECEIVED_PACKET) {
        take_packet();
    } else {
        take_damage();
    }
}

static void take_byte(bench_receiver_t *const receiver, const ecu_port_t from, const uint8_t byte)
{
    take(bench_frame_take(receiver, byte), receiver, from);
}

static void take_frame(const slcan_frame_t *const frame)
{
    const bench_can_kind_t kind = bench_can_take(frame);
    if (kind == BENCH_CAN_COMMIT) {
        take(bench_can_gather(frame, session.number, &signals), &signals, ECU_PORT_1);
    } else if (kind == BENCH_CAN_STREAM) {
        for (size_t i = 0U; i < frame->size; i++) {
            take_byte(&stream, ECU_PORT_1, frame->data[i]);
        }
    } else {
        /* foreign, or a value that waits for its COMMIT */
    }
}

static void take_text(const uint8_t byte)
{
    slcan_frame_t frame;
    slcan_text_t reply;
    if (slcan_take(&slcan, byte, &frame, &reply)) {
        take_frame(&frame);
    } else if (reply.size > 0U) {
        ecu_uart_write(ECU_PORT_1, reply.bytes, reply.size);
    } else {
        /* the line goes on */
    }
}

static size_t take_bytes(void)
{
    uint8_t bytes[READ_BYTES];
    const size_t of_line = ecu_uart_read(ECU_PORT_0, bytes, sizeof bytes);
    for (size_t i = 0U; i < of_line; i++) {
        take_byte(&line, ECU_PORT_0, bytes[i]);
    }
    const size_t of_can = ecu_uart_read(ECU_PORT_1, bytes, sizeof bytes);
    for (size_t i = 0U; i < of_can; i++) {
        take_text(bytes[i]);
    }
    return of_line + of_can;
}

/* A run that ended says so by itself, because the host stays silent meanwhile. */
static void announce_end(void)
{
    const bench_fault_report_t fault = bench_run_fault();
    const bench_summary_t summary = bench_run_summary();
    session.announces = false;
    if (fault.fault != (uint32_t)BENCH_FAULT_NONE) {
        send_event(BENCH_TYPE_FAULT, &fault, sizeof fault);
    }
    send_event(BENCH_TYPE_STATS, &summary, sizeof summary);
}

/* Sleep until an interrupt comes. Masked, so that one between the last look and the sleep still ends it. */
static void sleep_if_idle(void)
{
    __asm volatile("cpsid i" ::: "memory");
    const bool is_silent = (ecu_uart_waiting(ECU_PORT_0) == 0U) && (ecu_uart_waiting(ECU_PORT_1) == 0U);
    const bool is_idle = is_silent && !session.announces;
    if (is_idle) {
        __asm volatile("wfi" ::: "memory");
    }
    __asm volatile("cpsie i\n\tisb" ::: "memory");
}

/* Between the activations of a free run the core stays awake: a wake-up would be part of the start jitter, and QEMU 7.2
 * with `-icount sleep=off` lets the clock run over one more timer event before a sleeping core wakes, so that every
 * second activation is lost. An emulator runs through these without work. */
__attribute__((noinline)) static void stay_awake(void)
{
    __asm volatile(".rept 1000\n\tnop\n\t.endr" ::: "memory");
}

static void announce_boot(const ecu_port_t to)
{
    const bench_boot_t boot = {kfx_identity.export_id, 0U};
    port = to;
    send_event(BENCH_TYPE_BOOT, &boot, sizeof boot);
}

int main(void)
{
    bench_parameters_start();
    ecu_uart_open(ECU_PORT_0, BENCH_BAUD);
    ecu_uart_open(ECU_PORT_1, BENCH_BAUD);
    bench_run_open();
    announce_boot(ECU_PORT_1);
    announce_boot(ECU_PORT_0);
    for (;;) {
        if (take_bytes() > 0U) {
            bench_run_watch(); /* when the host asks: looking at the clock all the time would cost more than the run */
        }
        if (session.announces && !bench_run_is_running()) {
            announce_end();
        }
        if (bench_run_is_running()) {
            stay_awake();
        } else {
            sleep_if_idle();
        }
    }
}
