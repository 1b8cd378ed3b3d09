"""The proof believes nothing false: at every instruction, what the walk knows is what the emulator's registers hold.

The oracle is the emulator itself, stepped here without the audit's own runner.
"""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from targets.audit.image import load_image
from targets.audit.machine import State
from targets.audit.thumb import thumb_machine

pytestmark = pytest.mark.emulated

STACK, BUFFER, HALT = 0x2000_8000, 0x3000_0000, 0x1_8000  # code may only run below 0x2000_0000

SOURCE = """
#include <math.h>
#include <stdint.h>
__attribute__((noinline)) float g(float a) { return a * a + 0.5F; }
float f(const float *p, float *q)
{
    float s = 0.0F;
    int16_t small[9];
    for (int i = 0; i < 9; i++) { s += g(p[i]); small[i] = (int16_t)(p[i] * 3.0F); }
    for (int i = 8; i >= 0; i -= 2) { q[i] = sqrtf(fabsf(s)) / (float)(i + small[i]); }
    uint64_t wide = (uint64_t)(uint32_t)p[3] * 0x123456789ULL;
    for (unsigned i = 0U; i < 70000U; i += 10000U) { wide = (wide << 3) ^ (wide >> 61) ^ i; }
    q[9] = (float)(uint32_t)(wide ^ (wide >> 32));
    q[10] = p[0] > p[1] ? p[2] : -p[2];
    q[11] = (float)((uint8_t)(int)p[4] % 7U);
    for (int i = 0; i < 12; i++) { for (int j = i; j < 12; j += 3) { q[i] += p[j] * 0.25F; } }
    return s;
}
"""


def registers_along(elf: Path, start: int) -> list[tuple[int, dict[str, int], int]]:
    """(address, registers, flags) before every instruction that acts."""
    from unicorn import arm_const as arm
    from unicorn.unicorn import Uc
    from unicorn.unicorn_const import UC_ARCH_ARM, UC_HOOK_CODE, UC_MODE_MCLASS, UC_MODE_THUMB

    engine: Any = Uc(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS)
    engine.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_M4)
    engine.reg_write(arm.UC_ARM_REG_FPEXC, 0x4000_0000)
    for base in (0, 0x10000, STACK - 0x8000, BUFFER):
        engine.mem_map(base, 0x10000)
    with elf.open("rb") as stream:
        for segment in ELFFile(stream).iter_segments():
            if segment["p_type"] == "PT_LOAD":
                engine.mem_write(segment["p_vaddr"], segment.data())
    ids = {f"r{number}": getattr(arm, f"UC_ARM_REG_R{number}") for number in range(13)}
    ids |= {"sp": arm.UC_ARM_REG_SP, "lr": arm.UC_ARM_REG_LR}
    seen: list[tuple[int, dict[str, int], int]] = []

    def note(_engine: object, address: int, _size: int, _data: object) -> None:
        values = {name: engine.reg_read(number) for name, number in ids.items()}
        seen.append((address, values, engine.reg_read(arm.UC_ARM_REG_XPSR) >> 28))

    import struct

    engine.mem_write(BUFFER, struct.pack("<12f", *(1.5 * number - 3.0 for number in range(12))))
    engine.reg_write(arm.UC_ARM_REG_R0, BUFFER)
    engine.reg_write(arm.UC_ARM_REG_R1, BUFFER + 0x100)
    engine.reg_write(arm.UC_ARM_REG_SP, STACK)
    engine.reg_write(arm.UC_ARM_REG_LR, HALT | 1)
    engine.hook_add(UC_HOOK_CODE, note)
    engine.emu_start(start | 1, HALT)
    return seen


ALIASES = {"r9": "sb", "r10": "sl", "r11": "fp", "r12": "ip"}


@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3", "-Os"])
def test_known_registers_and_flags_hold_in_the_emulator(
    level: str, load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str], tmp_path: Path
) -> None:
    require_tool("arm-none-eabi-gcc")
    snippets = load_data_module("compile_snippet")
    source = tmp_path / "walk.c"
    source.write_text(SOURCE)
    elf = snippets.link(tmp_path, [source], "m4f", "f", level)
    image = load_image(elf)
    machine = thumb_machine(image)
    trace = registers_along(elf, image.by_name["f"].start)
    entry = {ALIASES.get(name, name): value for name, value in trace[0][1].items()}
    state, known = machine.entry, 0
    for position, (address, registers, flags) in enumerate(trace[:-1]):
        held = {ALIASES.get(name, name): value for name, value in registers.items()}
        known += check(state, held, flags, entry, image.where(address))
        instruction = machine.decode(address)
        state = machine.apply(instruction, state)
        if not instruction.predicated and trace[position + 1][0] == instruction.next:
            changed = {name for name, value in held.items() if after(trace[position + 1][1])[name] != value}
            assert changed <= machine.writes(instruction), instruction.text
    assert known > len(trace)


def after(registers: dict[str, int]) -> dict[str, int]:
    return {ALIASES.get(name, name): value for name, value in registers.items()}


def check(state: State, held: dict[str, int], flags: int, entry: dict[str, int], place: str) -> int:
    """Every known register and flag against the emulator; gives how many were known."""
    for name, value in state.registers.items():
        believed = (value.offset + (entry[value.base] if value.base else 0)) % (1 << 32)
        assert believed == held[name], f"{name} before {place}"
    bits = [bool(flags >> shift & 1) for shift in (3, 2, 1, 0)]
    for name, believed, real in zip(state.flags._fields, state.flags, bits, strict=True):
        assert believed is None or believed == real, f"{name} before {place}"
    return len(state.registers)
