/* bench_can.c - which identifier holds which bytes of a row. */
#include "bench_can.h"

#include "bench_requests.h"
#include "bench_vectors.h"
#include "model.h"
#include "rows.h"

#define REAL_BYTES       ((uint32_t)sizeof(kfx_real_t))
#define FRAME_BYTES      SLCAN_DATA_BYTES
#define FRAMES_OF(reals) ((((uint32_t)(reals) * REAL_BYTES) + FRAME_BYTES - 1U) / FRAME_BYTES)
#define HEAD_BYTES       8U /* of every payload that has signals: a frame of its own */

/* From the host. State, inputs and parameters begin a frame each. */
#define ID_COMMIT     BENCH_CAN_BASE
#define ID_TO_ECU     (ID_COMMIT + 1U)
#define ID_STATE      (ID_TO_ECU + 1U)
#define ID_INPUTS     (ID_STATE + FRAMES_OF(KFX_STATES))
#define ID_PARAMETERS (ID_INPUTS + FRAMES_OF(BENCH_PLAIN_INPUTS))

/* To the host. */
#define ID_RESULT       (ID_PARAMETERS + FRAMES_OF(KFX_PARAMETERS))
#define ID_TO_HOST      (ID_RESULT + 1U)
#define ID_STEPPED      (ID_TO_HOST + 1U)
#define ID_NEXT_STATE   (ID_STEPPED + 1U)
#define ID_OUTPUTS      (ID_NEXT_STATE + FRAMES_OF(KFX_STATES))
#define ID_CALIBRATED   (ID_OUTPUTS + FRAMES_OF(KFX_OUTPUTS - KFX_STATES))
#define ID_IN_FORCE     (ID_CALIBRATED + 1U)
#define ID_LAST         (ID_IN_FORCE + FRAMES_OF(KFX_PARAMETERS) - 1U)
#define LARGEST_STANDARD UINT32_C(0x7FF)

/* More parameters than a packet holds come in parts, in the stream. */
#define ALL_PARAMETERS_FIT ((HEAD_BYTES + (KFX_PARAMETERS * REAL_BYTES)) <= BENCH_PAYLOAD_BYTES)

_Static_assert(ID_LAST <= UINT32_C(0x1FFFFFFF), "the identifiers have 29 bits at most");

/* Data of COMMIT and RESULT. */
typedef struct mark_t {
    uint16_t sequence;
    uint8_t type;
    uint8_t flags; /* the lower half */
    uint32_t crc;  /* of the packet that is meant */
} mark_t;

_Static_assert(sizeof(mark_t) == FRAME_BYTES, "no holes");
_Static_assert(sizeof(bench_row_head_t) == HEAD_BYTES, "a frame");
_Static_assert(sizeof(bench_parameters_t) == HEAD_BYTES, "a frame");

/* Reals that follow one another over frames that follow one another. */
typedef struct group_t {
    uint32_t first_id;
    uint32_t bytes;
    uint8_t *values;
} group_t;

static kfx_real_t state[ECU_ROW_REALS];
static kfx_real_t inputs[ECU_ROW_REALS];
static kfx_real_t parameters[ECU_PARAMETER_REALS];

static const group_t groups[] = {
    {ID_STATE, KFX_STATES * REAL_BYTES, (uint8_t *)state},
    {ID_INPUTS, BENCH_PLAIN_INPUTS * REAL_BYTES, (uint8_t *)inputs},
    {ID_PARAMETERS, KFX_PARAMETERS * REAL_BYTES, (uint8_t *)parameters},
};

static uint32_t bytes_of_frame(const uint32_t bytes, const uint32_t number)
{
    const uint32_t left = bytes - (number * FRAME_BYTES);
    return (left < FRAME_BYTES) ? left : FRAME_BYTES;
}

/* A frame of another length than the values need is not taken: the CRC of the request will not fit. */
static void fill(const group_t *const group, const slcan_frame_t *const frame)
{
    const uint32_t number = frame->id - group->first_id; /* a lower identifier wraps far beyond */
    const bool is_ours = number < ((group->bytes + FRAME_BYTES - 1U) / FRAME_BYTES);
    if (is_ours && (frame->size == bytes_of_frame(group->bytes, number))) {
        bench_bytes_copy(frame->data, &group->values[number * FRAME_BYTES], frame->size);
    }
}

bench_can_kind_t bench_can_take(const slcan_frame_t *const frame)
{
    if (frame->is_extended != (ID_LAST > LARGEST_STANDARD)) {
        return BENCH_CAN_OTHER;
    }
    if (frame->id == ID_TO_ECU) {
        return BENCH_CAN_STREAM;
    }
    if (frame->id == ID_COMMIT) {
        return BENCH_CAN_COMMIT;
    }
    for (uint32_t i = 0U; i < (sizeof groups / sizeof groups[0]); i++) {
        fill(&groups[i], frame);
    }
    return BENCH_CAN_OTHER;
}

static void append(bench_receiver_t *const receiver, const void *const bytes, const size_t size)
{
    bench_bytes_copy(bytes, &receiver->packet.bytes[BENCH_HEADER_BYTES + receiver->payload_bytes], size);
    receiver->payload_bytes += size;
}

static bool gather_payload(const mark_t *const mark, bench_receiver_t *const receiver)
{
    const bench_parameters_t all = {0U, KFX_PARAMETERS, 0U};
    receiver->payload_bytes = 0U;
    if (mark->type == (uint8_t)BENCH_TYPE_STEP) {
        if ((mark->flags & BENCH_FLAG_WITH_STATE) != 0U) {
            append(receiver, state, KFX_STATES * REAL_BYTES);
        }
        append(receiver, inputs, BENCH_PLAIN_INPUTS * REAL_BYTES);
    } else if ((mark->type == (uint8_t)BENCH_TYPE_PARAMETERS) && ALL_PARAMETERS_FIT) {
        append(receiver, &all, sizeof all);
        if ((mark->flags & BENCH_FLAG_SET) != 0U) {
            append(receiver, parameters, KFX_PARAMETERS * REAL_BYTES);
        }
    } else {
        return false;
    }
    return true;
}

bench_received_t bench_can_gather(const slcan_frame_t *const commit, const uint16_t session,
                                  bench_receiver_t *const receiver)
{
    mark_t mark;
    if (commit->size != sizeof mark) {
        return BENCH_RECEIVED_DAMAGE;
    }
    bench_bytes_copy(commit->data, &mark, sizeof mark);
    const bench_header_t header = {BENCH_VERSION, mark.type, session, mark.flags, mark.sequence};
    bench_bytes_copy(&header, receiver->packet.bytes, sizeof header);
    if (!gather_payload(&mark, receiver)) {
        return BENCH_RECEIVED_DAMAGE;
    }
    receiver->crc = bench_frame_crc(receiver->packet.bytes, BENCH_HEADER_BYTES + receiver->payload_bytes);
    return (receiver->crc == mark.crc) ? BENCH_RECEIVED_PACKET : BENCH_RECEIVED_DAMAGE;
}

static void send(const uint32_t id, const uint8_t *const bytes, const size_t size, bench_can_sink_t *const sink)
{
    slcan_frame_t frame = {.id = id, .is_extended = (ID_LAST > LARGEST_STANDARD), .size = (uint8_t)size};
    bench_bytes_copy(bytes, frame.data, size);
    sink(&frame);
}

static void send_values(const uint32_t first_id, const uint8_t *const values, const uint32_t bytes,
                        bench_can_sink_t *const sink)
{
    for (uint32_t at = 0U; at < bytes; at += FRAME_BYTES) {
        const uint32_t number = at / FRAME_BYTES;
        send(first_id + number, &values[at], bytes_of_frame(bytes, number), sink);
    }
}

static void send_step(const uint8_t *const payload, bench_can_sink_t *const sink)
{
    const uint8_t *const values = &payload[HEAD_BYTES];
    send(ID_STEPPED, payload, HEAD_BYTES, sink);
    send_values(ID_NEXT_STATE, values, KFX_STATES * REAL_BYTES, sink);
    send_values(ID_OUTPUTS, &values[KFX_STATES * REAL_BYTES], (KFX_OUTPUTS - KFX_STATES) * REAL_BYTES, sink);
}

static void send_parameters(const uint8_t *const payload, bench_can_sink_t *const sink)
{
    send(ID_CALIBRATED, payload, HEAD_BYTES, sink);
    send_values(ID_IN_FORCE, &payload[HEAD_BYTES], KFX_PARAMETERS * REAL_BYTES, sink);
}

bool bench_can_answer(const bench_packet_t *const packet, const size_t payload_bytes, bench_can_sink_t *const sink)
{
    const uint8_t *const payload = &packet->bytes[BENCH_HEADER_BYTES];
    bench_header_t header;
    bench_bytes_copy(packet->bytes, &header, sizeof header);
    mark_t mark = {header.sequence, header.type, (uint8_t)header.flags, 0U};
    bench_bytes_copy(&payload[payload_bytes], &mark.crc, sizeof mark.crc);
    if (header.type == (uint8_t)BENCH_TYPE_STEP) {
        send_step(payload, sink);
    } else if (header.type == (uint8_t)BENCH_TYPE_PARAMETERS) {
        send_parameters(payload, sink);
    } else {
        return false;
    }
    send(ID_RESULT, (const uint8_t *)&mark, sizeof mark, sink);
    return true;
}

void bench_can_stream(const uint8_t *const bytes, const size_t size, bench_can_sink_t *const sink)
{
    for (size_t at = 0U; at < size; at += FRAME_BYTES) {
        const size_t left = size - at;
        send(ID_TO_HOST, &bytes[at], (left < FRAME_BYTES) ? left : FRAME_BYTES, sink);
    }
}
