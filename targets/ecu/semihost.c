/* semihost.c - the semihosting calls that a batch run needs. */
#include "semihost.h"

/* Operation numbers and open modes: Semihosting for AArch32 and AArch64, IHI 0077, chapter 5. */
enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_EXIT_EXTENDED = 0x20
};

#define MODE_READ_BINARY  UINT32_C(1)
#define MODE_WRITE_BINARY UINT32_C(5)
#define APPLICATION_EXIT  UINT32_C(0x20026)

static uint32_t call(const uint32_t operation, const uint32_t *const block)
{
    register uint32_t r0 __asm("r0") = operation;
    register const uint32_t *r1 __asm("r1") = block;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static size_t text_length(const char *const text)
{
    size_t length = 0U;
    while (text[length] != '\0') {
        length++;
    }
    return length;
}

static ecu_file_t open_file(const char *const path, const uint32_t mode)
{
    const uint32_t block[3] = {(uint32_t)path, mode, (uint32_t)text_length(path)};
    return (ecu_file_t)call((uint32_t)SYS_OPEN, block);
}

ecu_file_t ecu_semihost_open_to_read(const char *const path)
{
    return open_file(path, MODE_READ_BINARY);
}

ecu_file_t ecu_semihost_open_to_write(const char *const path)
{
    return open_file(path, MODE_WRITE_BINARY);
}

bool ecu_semihost_read(const ecu_file_t file, void *const bytes, const size_t size)
{
    const uint32_t block[3] = {(uint32_t)file, (uint32_t)bytes, (uint32_t)size};
    return call((uint32_t)SYS_READ, block) == 0U; /* the number of bytes not read */
}

bool ecu_semihost_write(const ecu_file_t file, const void *const bytes, const size_t size)
{
    const uint32_t block[3] = {(uint32_t)file, (uint32_t)bytes, (uint32_t)size};
    return call((uint32_t)SYS_WRITE, block) == 0U;
}

bool ecu_semihost_close(const ecu_file_t file)
{
    const uint32_t block[1] = {(uint32_t)file};
    return call((uint32_t)SYS_CLOSE, block) == 0U;
}

_Noreturn void ecu_semihost_exit(const uint32_t code)
{
    const uint32_t block[2] = {APPLICATION_EXIT, code};
    (void)call((uint32_t)SYS_EXIT_EXTENDED, block);
    for (;;) {
    }
}
