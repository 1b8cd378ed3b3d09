/* semihost.h - files of the host, reached through the debugger or the emulator (Arm semihosting, IHI 0077).
 *
 * Only batch runs use it. Without a host that listens, the first call is a hard fault.
 */
#ifndef ECU_SEMIHOST_H
#define ECU_SEMIHOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t ecu_file_t;

#define ECU_NO_FILE ((ecu_file_t)-1)

/* Open a file by a path as the host sees it; ECU_NO_FILE if that fails. */
ecu_file_t ecu_semihost_open_to_read(const char *path);
ecu_file_t ecu_semihost_open_to_write(const char *path);

/* True when every byte was moved. */
bool ecu_semihost_read(ecu_file_t file, void *bytes, size_t size);
bool ecu_semihost_write(ecu_file_t file, const void *bytes, size_t size);

bool ecu_semihost_close(ecu_file_t file);

/* End the run; the emulator exits with this code. Does not return. */
_Noreturn void ecu_semihost_exit(uint32_t code);

#endif /* ECU_SEMIHOST_H */
