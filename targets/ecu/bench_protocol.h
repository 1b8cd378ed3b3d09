/* bench_protocol.h - packets between bench and host: docs/wire-protocol.md in C. The Python side is hil/protocol.py and
 * hil/messages.py; a test compares the two.
 *
 * Every struct here is copied to and from the wire as it stands: little endian, naturally aligned, without holes.
 */
#ifndef BENCH_PROTOCOL_H
#define BENCH_PROTOCOL_H

#include <stdint.h>

#define BENCH_VERSION       UINT8_C(2)
#define BENCH_BOOT_VERSION  UINT8_C(1) /* BOOT is the same in every version, so that every host gets as far as HELLO */
#define BENCH_HEADER_BYTES  8U
#define BENCH_CRC_BYTES     4U
#define BENCH_PAYLOAD_BYTES 1024U
#define BENCH_PACKET_BYTES  (BENCH_HEADER_BYTES + BENCH_PAYLOAD_BYTES + BENCH_CRC_BYTES)
#define BENCH_HASH_BYTES    32

typedef enum bench_type_t {
    BENCH_TYPE_NONE = 0,
    BENCH_TYPE_BOOT = 1,
    BENCH_TYPE_HELLO = 2,
    BENCH_TYPE_OPEN = 3,
    BENCH_TYPE_STEP = 4,
    BENCH_TYPE_BATCH = 5,
    BENCH_TYPE_SETSTATE = 6,
    BENCH_TYPE_GETSTATE = 7,
    BENCH_TYPE_RUN = 8,
    BENCH_TYPE_STATS = 9,
    BENCH_TYPE_FAULT = 10,
    BENCH_TYPE_NACK = 11,
    BENCH_TYPE_PARAMETERS = 12
} bench_type_t;

#define BENCH_FLAG_REPLY      UINT16_C(1)
#define BENCH_FLAG_REPEATED   UINT16_C(2)
#define BENCH_FLAG_EVENT      UINT16_C(4)
#define BENCH_FLAG_WITH_STATE UINT16_C(8)
#define BENCH_FLAG_STORE      UINT16_C(16)
#define BENCH_FLAG_CLEAR      UINT16_C(32)
#define BENCH_FLAG_SET        UINT16_C(64)
#define BENCH_FLAG_APPLY      UINT16_C(128)

typedef enum bench_reason_t {
    BENCH_REASON_NONE = 0,
    BENCH_REASON_UNDECODABLE = 1,
    BENCH_REASON_UNKNOWN_TYPE = 2,
    BENCH_REASON_BAD_LENGTH = 3,
    BENCH_REASON_NO_SESSION = 4,
    BENCH_REASON_OTHER_MODEL = 5,
    BENCH_REASON_OUT_OF_ORDER = 6,
    BENCH_REASON_BUSY = 7,
    BENCH_REASON_FAULT_LATCHED = 8,
    BENCH_REASON_NO_COUNTER = 9,
    BENCH_REASON_OUT_OF_RANGE = 10,
    BENCH_REASON_UNSUPPORTED = 11,
    BENCH_REASON_OTHER_VERSION = 12
} bench_reason_t;

typedef enum bench_section_t {
    BENCH_SECTION_SUMMARY = 0,
    BENCH_SECTION_HISTOGRAM = 1,
    BENCH_SECTION_LOG = 2,
    BENCH_SECTION_WORST = 3,
    BENCH_SECTION_LATEST = 5, /* 4 was an envelope of durations */
    BENCH_SECTION_FINISHES = 6
} bench_section_t;

typedef enum bench_run_state_t {
    BENCH_RUN_STATE_IDLE = 0,
    BENCH_RUN_STATE_RUNNING = 1,
    BENCH_RUN_STATE_FINISHED = 2,
    BENCH_RUN_STATE_FAULTED = 3
} bench_run_state_t;

typedef enum bench_fault_t {
    BENCH_FAULT_NONE = 0,
    BENCH_FAULT_OVERRUNS = 1, /* consecutive activations finished after their deadline */
    BENCH_FAULT_STARVED = 2   /* the timer runs, its interrupt does not come */
} bench_fault_t;

typedef enum bench_outcome_t {
    BENCH_OUTCOME_IN_TIME = 0,
    BENCH_OUTCOME_OVERRUN = 1,    /* the step itself is longer than the deadline */
    BENCH_OUTCOME_LATE_START = 2, /* the step is short enough and began too late */
    BENCH_OUTCOME_SKIPPED = 3     /* releases that were never served */
} bench_outcome_t;

typedef struct bench_header_t {
    uint8_t version;
    uint8_t type;
    uint16_t session;
    uint16_t flags;
    uint16_t sequence;
} bench_header_t;

typedef struct bench_boot_t {
    uint32_t export_id;
    uint32_t cause; /* of the reset, 0 where the chip does not say */
} bench_boot_t;

typedef struct bench_hello_t {
    uint32_t export_id;
    uint8_t model_hash[BENCH_HASH_BYTES];
    uint32_t build_id;
    uint16_t max_payload;
    uint8_t real_bytes;
    uint8_t counter; /* ecu_counter_kind_t */
    uint8_t counter_bits;
    uint8_t counter_moves;
    uint16_t row_inputs;
    uint16_t row_outputs;
    uint16_t state_values;
    uint16_t vector_slots;
    uint16_t parameters; /* tunable ones */
    uint32_t counter_hz;
    uint32_t timer_hz;
    uint32_t overhead_ticks;
    uint32_t operations;
    uint32_t digest_ticks;  /* that the digest takes after each activation of a free run */
    uint16_t next_sequence; /* that a numbered request must have: OPEN first */
    uint8_t protocol;       /* BENCH_VERSION */
    uint8_t hardware_reals; /* 1: the core computes reals of this type by instructions, 0: by routines */
} bench_hello_t;

typedef struct bench_open_t {
    uint32_t export_id;
    uint8_t model_hash[BENCH_HASH_BYTES];
    uint32_t build_id; /* 0: any */
} bench_open_t;

/* Followed by `count` reals, from parameter number `first` on. */
typedef struct bench_parameters_t {
    uint16_t first;
    uint16_t count;
    uint32_t status; /* in the answer: of recalibrate, for the set that was given last */
} bench_parameters_t;

typedef struct bench_row_head_t {
    uint32_t status;
    uint32_t ticks;
} bench_row_head_t;

typedef struct bench_batch_t {
    uint16_t rows;
    uint16_t slot; /* with STORE: where the first row goes */
    uint32_t reserved;
} bench_batch_t;

typedef struct bench_run_t {
    uint32_t activations;    /* 0 stops a run */
    uint32_t period_ticks;   /* of the counter */
    uint32_t timer_ticks;    /* the same period, of the timer */
    uint32_t deadline_ticks; /* of the counter, after the release */
    uint32_t latch_after;    /* consecutive misses that latch the fault */
    uint32_t envelope_block; /* activations per point of the envelope */
    uint16_t vectors;        /* stored rows to go through in a ring */
    uint16_t reserved;
} bench_run_t;

typedef struct bench_stats_t {
    uint8_t section;
    uint8_t reserved;
    uint16_t entries; /* in the answer */
    uint32_t offset;
} bench_stats_t;

typedef struct bench_fault_report_t {
    uint32_t fault;
    uint32_t index; /* activation that latched it */
} bench_fault_report_t;

typedef struct bench_nack_t {
    uint8_t reason;
    uint8_t type; /* of the request, 0 when it could not be decoded */
    uint16_t expected;
    uint32_t damaged;
    uint32_t lost_bytes;
} bench_nack_t;

typedef struct bench_pair_t {
    uint32_t first;
    uint32_t second;
} bench_pair_t;

typedef struct bench_summary_t {
    uint8_t state;
    uint8_t fault;
    uint16_t latest_used;
    uint32_t requested;
    uint32_t ran;
    uint32_t skipped;
    uint32_t missed;
    uint32_t longest_run;
    uint32_t coalesced;
    uint32_t period_ticks;
    uint32_t deadline_ticks;
    uint32_t latch_after;
    uint32_t duration_min;
    uint32_t duration_max;
    uint64_t duration_sum;
    uint32_t late_min;
    uint32_t late_max;
    uint64_t late_sum;
    uint32_t response_max;
    uint32_t flagged;
    uint32_t status_or;
    uint32_t digest;
    uint32_t worst_index;
    uint32_t latest_index;
    uint32_t histogram_used;
    uint32_t histogram_lost;
    uint32_t log_used;
    uint32_t log_lost;
    uint32_t worst_used;
    uint32_t envelope_used;
    uint32_t envelope_block;
    uint32_t response_index;
} bench_summary_t;

/* Head of a logged activation; the row (state, then inputs) follows it. */
typedef struct bench_record_t {
    uint32_t index;
    uint32_t late_ticks;
    uint32_t duration_ticks;
    uint32_t response_ticks; /* release to finish */
    uint32_t status;
    uint32_t skipped;
    uint16_t vector;
    uint8_t outcome; /* bench_outcome_t */
    uint8_t reserved;
    uint32_t unused; /* so that reals of eight bytes follow aligned */
} bench_record_t;

_Static_assert(sizeof(bench_header_t) == BENCH_HEADER_BYTES, "no holes");
_Static_assert(sizeof(bench_hello_t) == 80U, "no holes");
_Static_assert(sizeof(bench_open_t) == 40U, "no holes");
_Static_assert(sizeof(bench_parameters_t) == 8U, "no holes");
_Static_assert(sizeof(bench_run_t) == 28U, "no holes");
_Static_assert(sizeof(bench_nack_t) == 12U, "no holes");
_Static_assert(sizeof(bench_summary_t) == 128U, "no holes");
_Static_assert(sizeof(bench_record_t) == 32U, "no holes");

#endif /* BENCH_PROTOCOL_H */
