/* batch.c - firmware of a batch run: rows from the host's file rows.bin, results to its file results.bin.
 *
 * rows.bin: ecu_request_t, KFX_PARAMETERS reals or none (then nominal), then rows of KFX_INPUTS reals. results.bin: ecu_answer_t, then one ecu_record_t per row.
 * Little endian, as the core is. The exit code says what went wrong.
 */
#include "counter.h"
#include "model.h"
#include "rows.h"
#include "semihost.h"
#include "startup.h"

#include <stdbool.h>
#include <stdint.h>

#define ROWS_FILE    "rows.bin"
#define RESULTS_FILE "results.bin"
#define MAGIC        UINT32_C(0x4258464B) /* "KFXB" */
#define VERSION      UINT32_C(2)
#define BLOCK_ROWS   UINT32_C(256)

enum {
    EXIT_DONE = 0,
    EXIT_NO_ROWS = 10,
    EXIT_WRONG_ROWS = 11,
    EXIT_SHORT_ROWS = 12,
    EXIT_NO_RESULTS = 13,
    EXIT_FAULT = 14
};

typedef struct ecu_request_t {
    uint32_t magic;
    uint32_t version;
    uint32_t rows;
    uint32_t inputs;
    uint32_t parameters; /* reals that follow: KFX_PARAMETERS, or 0 */
    uint32_t reserved;
} ecu_request_t;

typedef struct ecu_answer_t {
    uint32_t magic;
    uint32_t version;
    uint32_t rows;
    int32_t selftest; /* 0, or the check that failed */
    uint32_t start_status;
    uint32_t counter_kind;
    uint32_t counter_rate_hz;
    uint32_t overhead_ticks;
    kfx_identity_t identity;
} ecu_answer_t;

static kfx_real_t rows[BLOCK_ROWS * ECU_ROW_REALS];
static ecu_record_t records[BLOCK_ROWS];

void HardFault_Handler(void)
{
    ecu_semihost_exit((uint32_t)EXIT_FAULT);
}

static void check(const bool good, const uint32_t code)
{
    if (!good) {
        ecu_semihost_exit(code);
    }
}

static ecu_request_t read_request(const ecu_file_t file)
{
    ecu_request_t request;
    check(file != ECU_NO_FILE, (uint32_t)EXIT_NO_ROWS);
    check(ecu_semihost_read(file, &request, sizeof request), (uint32_t)EXIT_SHORT_ROWS);
    const bool known = (request.magic == MAGIC) && (request.version == VERSION);
    const bool fits = (request.parameters == 0U) || (request.parameters == (uint32_t)KFX_PARAMETERS);
    check(known && fits && (request.inputs == (uint32_t)KFX_INPUTS), (uint32_t)EXIT_WRONG_ROWS);
    return request;
}

/* Nominal parameters, or those of the file. Returns the status of recalibrate. */
static uint32_t start(const ecu_file_t file, const uint32_t parameters)
{
    kfx_real_t values[ECU_PARAMETER_REALS];
    if (parameters == 0U) {
        return kfx_model_start();
    }
    check(ecu_semihost_read(file, values, parameters * (uint32_t)sizeof(kfx_real_t)), (uint32_t)EXIT_SHORT_ROWS);
    return kfx_model_set_parameters(values);
}

static void write_answer(const ecu_file_t file, const ecu_counter_t *const counter, const uint32_t count,
                         const uint32_t start_status)
{
    check(file != ECU_NO_FILE, (uint32_t)EXIT_NO_RESULTS);
    const int32_t selftest = kfx_model_selftest();
    const ecu_answer_t answer = {
        .magic = MAGIC,
        .version = VERSION,
        .rows = count,
        .selftest = selftest,
        .start_status = start_status,
        .counter_kind = (uint32_t)counter->kind,
        .counter_rate_hz = counter->rate_hz,
        .overhead_ticks = kfx_model_overhead(counter),
        .identity = kfx_identity,
    };
    check(ecu_semihost_write(file, &answer, sizeof answer), (uint32_t)EXIT_NO_RESULTS);
}

static void run_block(const ecu_counter_t *const counter, const ecu_file_t from, const ecu_file_t to,
                      const uint32_t count)
{
    const uint32_t row_bytes = (uint32_t)KFX_INPUTS * (uint32_t)sizeof(kfx_real_t);
    check(ecu_semihost_read(from, rows, count * row_bytes), (uint32_t)EXIT_SHORT_ROWS);
    ecu_rows_run(counter, rows, records, count);
    check(ecu_semihost_write(to, records, count * (uint32_t)sizeof(ecu_record_t)), (uint32_t)EXIT_NO_RESULTS);
}

int main(void)
{
    const ecu_counter_t counter = ecu_counter_open();
    const ecu_file_t from = ecu_semihost_open_to_read(ROWS_FILE);
    const ecu_request_t request = read_request(from);
    const uint32_t start_status = start(from, request.parameters);
    const ecu_file_t to = ecu_semihost_open_to_write(RESULTS_FILE);
    write_answer(to, &counter, request.rows, start_status);
    uint32_t left = request.rows;
    while (left > 0U) {
        const uint32_t block = (left < BLOCK_ROWS) ? left : BLOCK_ROWS;
        run_block(&counter, from, to, block);
        left -= block;
    }
    check(ecu_semihost_close(to), (uint32_t)EXIT_NO_RESULTS);
    ecu_semihost_exit((uint32_t)EXIT_DONE);
}
