"""Compiles a few lines of C or assembler for the tests of the audit, with the flags that an export is built with."""

import subprocess
from pathlib import Path

NUMERIC = ("-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno")
CORES = {
    "m4f": ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
    "m7": ("arm-none-eabi-gcc", "-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16"),
    "m3": ("arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-mfloat-abi=soft"),
    "host": ("gcc",),
}
LINK = {
    "m4f": ("-nostdlib", "-nostartfiles", "-Wl,-Ttext=0x10000"),
    "m7": ("-nostdlib", "-nostartfiles", "-Wl,-Ttext=0x10000"),
    "host": ("-nostdlib", "-nostartfiles", "-static"),
}
THUMB_HEADER = ".syntax unified\n.thumb\n"


def assembly(text: str) -> str:
    """Thumb assembler with one function per `name:` line that stands at the left edge."""
    lines = []
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith((" ", ".", "1", "2", "3")):
            name = line[:-1]
            lines += [f".global {name}", f".type {name}, %function", ".thumb_func"]
        lines.append(line)
    return THUMB_HEADER + "\n".join(lines) + "\n"


def compile_object(folder: Path, source: str, core: str, *options: str, suffix: str = ".c") -> Path:
    """An object file from text; later options win."""
    path = folder / f"snippet{suffix}"
    path.write_text(source, encoding="utf-8")
    target = folder / f"snippet-{core}.o"
    _run(folder, [*CORES[core], *NUMERIC, *options, "-c", path.name, "-o", target.name])
    return target


def link(folder: Path, sources: list[Path], core: str, entry: str, *options: str) -> Path:
    """A linked file without any library."""
    target = folder / f"linked-{core}.elf"
    names = [str(path) for path in sources]
    _run(folder, [*CORES[core], *NUMERIC, *options, *LINK[core], f"-Wl,-e,{entry}", *names, "-o", target.name])
    return target


def _run(folder: Path, command: list[str]) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
