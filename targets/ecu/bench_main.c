/* bench_main.c - firmware of the bench: receives packets, keeps the session, answers, and sleeps in between.
 *
 * The same sequence number again is answered from the cache: a repeated request never steps the model twice.
 */
#include "bench_frame.h"
#include "bench_requests.h"
#include "bench_run.h"
#include "model.h"
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
    uint16_t last;    /* sequence number of the last request that was served */
    uint32_t damaged; /* frames that were no packet */
    bool announces;   /* the end of a free run has still to be told */
} session_t;

static session_t session;
static bench_receiver_t receiver;
static bench_packet_t answer;
static size_t answer_payload; /* of the last answer, for a repeated request */
static bench_packet_t event;
static uint8_t wire[BENCH_WIRE_BYTES];

static void send(bench_packet_t *const packet, const size_t payload_bytes)
{
    const size_t size = bench_frame_wrap(packet, payload_bytes, wire);
    ecu_uart_write(ECU_PORT_0, wire, size);
}

static void send_with_header(bench_packet_t *const packet, const bench_header_t *const header, const size_t payload_bytes)
{
    bench_bytes_copy(header, packet->bytes, sizeof *header);
    send(packet, payload_bytes);
}

static void send_event(const bench_type_t type, const void *const payload, const size_t size)
{
    const bench_header_t header = {BENCH_VERSION, (uint8_t)type, session.number, BENCH_FLAG_EVENT, session.last};
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
        .lost_bytes = ecu_uart_lost(ECU_PORT_0),
    };
    return nack;
}

/* Refuse what is out of turn: not an answer to be kept. */
static void refuse(const bench_header_t *const request, const bench_reason_t reason)
{
    const bench_header_t header = {BENCH_VERSION, (uint8_t)BENCH_TYPE_NACK, request->session, BENCH_FLAG_REPLY,
                                   request->sequence};
    const bench_nack_t nack = nack_of(reason, request->type);
    bench_bytes_copy(&nack, &event.bytes[BENCH_HEADER_BYTES], sizeof nack);
    send_with_header(&event, &header, sizeof nack);
}

/* HELLO and OPEN come before there is a session; everything else belongs to one, in sequence. */
static bench_reason_t check(const bench_header_t *const request)
{
    const bool is_free = (request->type == (uint8_t)BENCH_TYPE_HELLO) || (request->type == (uint8_t)BENCH_TYPE_OPEN);
    if (request->version != BENCH_VERSION) {
        return BENCH_REASON_OTHER_VERSION;
    }
    if (is_free) {
        return BENCH_REASON_NONE;
    }
    if ((session.number == 0U) || (request->session != session.number)) {
        return BENCH_REASON_NO_SESSION;
    }
    return (request->sequence == (uint16_t)(session.last + 1U)) ? BENCH_REASON_NONE : BENCH_REASON_OUT_OF_ORDER;
}

/* The answer that is kept belongs to this request, or something came in between. */
static void repeat_answer(const bench_header_t *const request)
{
    bench_header_t header;
    bench_bytes_copy(answer.bytes, &header, sizeof header);
    if ((header.sequence != request->sequence) || (header.session != request->session)) {
        refuse(request, BENCH_REASON_OUT_OF_ORDER);
        return;
    }
    header.flags |= BENCH_FLAG_REPEATED;
    send_with_header(&answer, &header, answer_payload);
}

/* Keep in step with the host: OPEN begins a session at its own sequence number. */
static void enter(const bench_header_t *const request)
{
    if (request->type == (uint8_t)BENCH_TYPE_OPEN) {
        bench_run_stop();
        session.number = request->session;
        session.announces = false;
    }
    session.announces = session.announces || (request->type == (uint8_t)BENCH_TYPE_RUN);
}

static void serve(const bench_header_t *const request)
{
    const bench_request_t asked = {(bench_type_t)request->type, request->flags,
                                   &receiver.packet.bytes[BENCH_HEADER_BYTES], receiver.payload_bytes};
    bench_answer_t given = {&answer.bytes[BENCH_HEADER_BYTES], 0U};
    bench_header_t header = {BENCH_VERSION, request->type, request->session, BENCH_FLAG_REPLY, request->sequence};
    const bench_reason_t reason = bench_request_serve(&asked, &given);
    if (reason == BENCH_REASON_NONE) {
        enter(request);
    } else {
        const bench_nack_t nack = nack_of(reason, request->type);
        header.type = (uint8_t)BENCH_TYPE_NACK;
        given.size = sizeof nack;
        bench_bytes_copy(&nack, given.payload, sizeof nack);
    }
    if ((request->session == session.number) && (request->type != (uint8_t)BENCH_TYPE_HELLO)) {
        session.last = request->sequence;
    }
    answer_payload = given.size;
    send_with_header(&answer, &header, given.size);
}

static void take_packet(void)
{
    bench_header_t request;
    bench_bytes_copy(receiver.packet.bytes, &request, sizeof request);
    const bool is_repeated = (session.number != 0U) && (request.session == session.number) &&
                             (request.sequence == session.last);
    if (is_repeated) {
        repeat_answer(&request);
        return;
    }
    const bench_reason_t reason = check(&request);
    if (reason == BENCH_REASON_NONE) {
        serve(&request);
    } else {
        refuse(&request, reason);
    }
}

static void take_damage(void)
{
    session.damaged++;
    const bench_nack_t nack = nack_of(BENCH_REASON_UNDECODABLE, (uint8_t)BENCH_TYPE_NONE);
    send_event(BENCH_TYPE_NACK, &nack, sizeof nack);
}

static void take_byte(const uint8_t byte)
{
    const bench_received_t received = bench_frame_take(&receiver, byte);
    if (received == BENCH_RECEIVED_PACKET) {
        take_packet();
    } else if (received == BENCH_RECEIVED_DAMAGE) {
        take_damage();
    } else {
        /* the frame goes on */
    }
}

static size_t take_bytes(void)
{
    uint8_t bytes[READ_BYTES];
    const size_t count = ecu_uart_read(ECU_PORT_0, bytes, sizeof bytes);
    for (size_t i = 0U; i < count; i++) {
        take_byte(bytes[i]);
    }
    return count;
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
    const bool is_idle = (ecu_uart_waiting(ECU_PORT_0) == 0U) && !session.announces;
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

int main(void)
{
    (void)kfx_model_start();
    ecu_uart_open(ECU_PORT_0, BENCH_BAUD);
    bench_run_open();
    const bench_boot_t boot = {kfx_identity.export_id, 0U};
    send_event(BENCH_TYPE_BOOT, &boot, sizeof boot);
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
