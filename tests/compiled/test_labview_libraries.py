"""The bytes that are shipped: what their headers say, and that they compute what the operation sequences say."""

import re
import shutil
import struct
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from exporter.c99.flags import STRICT_WARNINGS
from exporter.c99.rows import interpret_rows
from exporter.errors import CheckFailed
from exporter.export import write_export
from exporter.model.library import model_names
from targets.flags import EXPORT_FLAGS
from targets.labview.audit.agreement import agree, agree_in_series
from targets.labview.audit.elf import audit_elf
from targets.labview.audit.guest import Guest, guest
from targets.labview.audit.mapped import build_shim, load_native, map_dll
from targets.labview.audit.pe import audit_pe
from targets.labview.interface import exported_names, has_rows
from targets.labview.libraries import build_library
from targets.labview.oracle import nominal_derived
from targets.labview.shim import WINDOWS_SOURCE, texts
from targets.labview.vectors import vectors
from targets.toolchain import find, run_compiler, run_step

pytestmark = pytest.mark.compiled

SIZE_LIMIT = 16 * 1024
MANY = 100_000
SOME = 2_000
DLLS = ["win32", "win64", "win32-zig", "win64-zig"]
SHARED_OBJECTS = ["linux-x64", "linux-x64-zig", "linux-armv7"]


@pytest.fixture(scope="module")
def cases(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    """Exports and libraries, each made once."""
    return load_data_module("labview_case")


@pytest.fixture(scope="module")
def crank(cases: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The slider-crank of the library, in double."""
    return cases.library_case("slider_crank", tmp_path_factory.getbasetemp())


@pytest.fixture
def library(require_profile: Callable[[str], None], crank: Any, request: pytest.FixtureRequest) -> Any:
    """The slider-crank's library of the profile that a test is for."""
    require_profile(request.param)
    return crank.built(request.param)


def of(*profiles: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("library", profiles, indirect=True)


def running(library: Any) -> Guest:
    return guest(library.file, library.library.machine)


# ---- headers of the files ----


@of(*DLLS)
def test_a_dll_takes_nothing_from_the_system_and_holds_no_time(crank, library):
    facts = audit_pe(library.file, library.library.machine, exported_names(crank.export.manifest))
    assert (facts.imports, facts.timestamp) == (0, 0)
    assert facts.image_base == {"x86": 0x10000000, "x86-64": 0x180000000}[facts.machine]
    assert facts.file_version == crank.export.manifest.kinefix


@of("win32", "win64")
def test_a_dll_of_the_slider_crank_is_small(library):
    assert library.file.stat().st_size < SIZE_LIMIT


@of(*DLLS)
def test_exports_are_plain_names(library):
    """T06: no leading underscore, no number of bytes behind an at sign."""
    import pefile

    with pefile.PE(str(library.file)) as image:
        names = [symbol.name.decode() for symbol in image.DIRECTORY_ENTRY_EXPORT.symbols]
    assert all(re.fullmatch(r"slider_crank_\w+", name) for name in names)


@of(*SHARED_OBJECTS)
def test_a_shared_object_stands_on_its_own(crank, library):
    """Whatever the C library of the target: nothing is needed, no version is named."""
    facts = audit_elf(library.file, library.library.machine, exported_names(crank.export.manifest))
    assert (facts.needed, facts.undefined, facts.versions, facts.relocations) == ((), (), (), 0)
    assert facts.soname == "libslider_crank.so"


@of("linux-armv7")
def test_arm_computes_in_the_vfp_and_passes_reals_in_integer_registers(crank, library):
    """T02: softfp, which is neither soft (slow, by calls) nor hard (another ABI)."""
    assert audit_elf(library.file, "arm", exported_names(crank.export.manifest)).float_abi == "softfp"


@of("win64")
@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda image: setattr(image.FILE_HEADER, "TimeDateStamp", 1700000000), "holds the time 1700000000"),
        (lambda image: setattr(image.OPTIONAL_HEADER, "ImageBase", 0x190000000), "its image base is 0x190000000"),
        (lambda image: setattr(image.FILE_HEADER, "Machine", 0x14C), "it is for x86 and should be for x86-64"),
    ],
)
def test_a_dll_with_another_header_is_refused(crank, library, tmp_path, damage, sentence):
    import pefile

    image = pefile.PE(str(library.file))
    damage(image)
    image.write(str(tmp_path / "x.dll"))
    image.close()
    with pytest.raises(CheckFailed, match=sentence):
        audit_pe(tmp_path / "x.dll", "x86-64", exported_names(crank.export.manifest))


@of("win64", "linux-x64")
def test_an_export_too_many_or_too_few_is_refused(crank, library):
    names = exported_names(crank.export.manifest)
    audit = audit_pe if library.library.format == "pe" else audit_elf
    for wrong in (names[1:], (*names, "slider_crank_lv_more")):
        with pytest.raises(CheckFailed, match="is exported or declared, and not both"):
            audit(library.file, "x86-64", wrong)


# ---- what the code computes ----


@of(*DLLS, *SHARED_OBJECTS)
def test_every_library_computes_what_the_sequences_say_in_one_number_of_instructions(crank, library):
    """All functions, limits and NaN included; registers and stack as the ABI says."""
    manifest, emulated = crank.export.manifest, running(library)
    for function in manifest.functions:
        found = agree(emulated, manifest, vectors(manifest, crank.program, function, 128))
        assert found.rows == (128 if has_rows(function, manifest) else 1)
        assert (found.instructions or 0) > 100 or not has_rows(function, manifest)


def series(case: Any, callers: list[Any], rows: int) -> list[int]:
    """Rows compared per library, over all functions."""
    manifest, compared = case.export.manifest, [0] * len(callers)
    for function in manifest.functions:
        if has_rows(function, manifest):
            made = vectors(manifest, case.program, function, rows)
            for number, caller in enumerate(callers):
                compared[number] += agree_in_series(caller, manifest, case.program, made)
    return compared


def native(require_profile: Callable[[str], None], case: Any, folder: Path) -> list[Any]:
    """The x64 DLL mapped into this process, and this computer's shared object."""
    for profile in ("win64", "linux-x64"):
        require_profile(profile)
    return [map_dll(case.built("win64").file, build_shim(folder)).native, load_native(case.built("linux-x64").file)]


def functions_with_rows(case: Any) -> int:
    return sum(has_rows(function, case.export.manifest) for function in case.export.manifest.functions)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name == "slider_crank" else [pytest.mark.slow]) for name in model_names()],
)
def test_x64_and_linux_agree_with_the_interpreter_on_100_000_rows(
    require_profile, cases, tmp_path_factory, tmp_path, name
):
    """Bit for bit, for every mechanism of the library: the very bytes that are shipped, at full speed."""
    case = cases.library_case(name, tmp_path_factory.getbasetemp())
    assert series(case, native(require_profile, case, tmp_path), MANY) == [functions_with_rows(case) * MANY] * 2


@pytest.mark.parametrize("profile", ["win32", "linux-armv7"])
@pytest.mark.parametrize("name", model_names())
@pytest.mark.slow
def test_x86_and_arm_agree_with_the_interpreter_on_100_000_rows(
    require_profile, cases, tmp_path_factory, profile, name
):
    """A series counted in an emulator: the loop over the rows is the library's own."""
    require_profile(profile)
    case = cases.library_case(name, tmp_path_factory.getbasetemp())
    assert series(case, [running(case.built(profile))], MANY) == [functions_with_rows(case) * MANY]


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_tunable_export_of_either_precision_agrees(require_profile, cases, load_data_module, tmp_path, precision):
    """Instance 0 uses derived constants that were printed, an open one those that it computed itself."""
    require_profile("win32")
    program = load_data_module("sample_program").slider_crank_program(precision, tunable=True)
    export = write_export(program, tmp_path / "export", {})
    case = cases.Case(export, program, tmp_path)
    callers = [*native(require_profile, case, tmp_path), running(case.built("win32"))]
    assert series(case, callers, SOME) == [3 * SOME] * 3


@of("win32")
@pytest.mark.parametrize("misalignment", [0, 4, 8, 12])
def test_32_bit_code_does_not_rely_on_an_aligned_stack(crank, library, misalignment):
    """Callers on 32-bit Windows align to four bytes; an aligned SSE access to the stack would fault."""
    emulated = running(library)
    places = [emulated.place(bytes(8)) for _ in range(6)]
    symbol = "slider_crank_lv_dynamics"
    assert emulated.call(symbol, [0, 0.7, 1.0, 2.0, *places], misalignment) == 0
    function = next(each for each in crank.export.manifest.functions if each.name == "dynamics")
    expected = interpret_rows(crank.program, function.name, np.array([[0.7, 1.0, 2.0]])).outputs[0]
    assert [struct.unpack("<d", emulated.read(place, 8))[0] for place in places] == expected.tolist()


@of("win64", "linux-x64", "linux-armv7")
def test_terminals_by_value_arrive_in_every_calling_convention(crank, library):
    """A double in registers, in pairs of registers, on the stack."""
    emulated = running(library)
    places = [emulated.place(bytes(8)) for _ in range(6)]
    assert emulated.call("slider_crank_lv_dynamics", [0, 0.7, 1.0, 2.0, *places]) == 0
    expected = interpret_rows(crank.program, "dynamics", np.array([[0.7, 1.0, 2.0]])).outputs[0]
    assert [struct.unpack("<d", emulated.read(place, 8))[0] for place in places] == expected.tolist()


@of("win32", "win64")
def test_flush_to_zero_gives_no_infinity_and_no_nan(library):
    """T12: some other library may have switched it on; denormal inputs are then zero, and that is all."""
    from unicorn.x86_const import UC_X86_REG_MXCSR

    emulated = running(library)
    emulated.abi = replace(emulated.abi, fixed={})  # it is changed on purpose
    emulated._engine.reg_write(UC_X86_REG_MXCSR, 0x9FC0)
    places = [emulated.place(bytes(8)) for _ in range(6)]
    assert emulated.call("slider_crank_lv_dynamics", [0, 5e-324, 1e-310, -1e-310, *places]) == 0
    assert np.isfinite([struct.unpack("<d", emulated.read(place, 8))[0] for place in places]).all()


def with_profile(case: Any, profile: str, folder: Path, **changes: object) -> Any:
    """A library built by a profile that is changed."""
    tools = find(profile)
    printed = texts(case.export.manifest, nominal_derived(case.program))
    changed = replace(tools, profile=replace(tools.profile, **changes))
    return build_library(changed, case.export, printed, folder)


def test_fused_multiplications_are_caught(require_profile, crank, tmp_path):
    """T01: the same sources, contracted on an FPU that fuses; the comparison of bits sees it."""
    require_profile("linux-armv7")
    library = with_profile(crank, "linux-armv7", tmp_path)
    source = tmp_path / "slider_crank.c"
    source.write_text(source.read_text().replace("#pragma STDC FP_CONTRACT OFF", ""))  # the file asks for it itself
    tools, made = find("linux-armv7"), library.library
    core = [flag.replace("cortex_a9", "cortex_a15") for flag in tools.profile.core_flags]  # which has VFPv4
    contracted = [*EXPORT_FLAGS, *core, "-ffp-contract=fast", *made.compile_flags]
    run_compiler(tools, [*contracted, "-c", "slider_crank.c", "-o", "slider_crank.o"], tmp_path)
    link: list[str] = []
    for each in made.link[1:]:
        objects = each == "{objects}"
        link += ["slider_crank.o", "slider_crank_lv.o"] if objects else [each.format(name="slider_crank", file="f.so")]
    run_step(tools.compiler, link, tmp_path)
    function = next(each for each in crank.export.manifest.functions if each.name == "dynamics")
    with pytest.raises(CheckFailed, match="differs from the operation sequence"):
        agree(guest(tmp_path / "f.so", "arm"), crank.export.manifest, made_vectors(crank, function))


def made_vectors(case: Any, function: Any) -> Any:
    return vectors(case.export.manifest, case.program, function, 128)


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ([], "every operation must be rounded to double"),
        (["-msse2", "-mfpmath=sse", "-ffast-math"], "compile without -ffast-math"),
    ],
)
def test_sources_refuse_x87_and_fast_math_themselves(require_tool, crank, flags, sentence):
    """T05 and T13: whoever compiles src/ by hand gets an error and not other numbers."""
    command = [require_tool("i686-w64-mingw32-gcc"), *EXPORT_FLAGS, *flags, "-fsyntax-only", "slider_crank.c"]
    done = subprocess.run(command, cwd=crank.export.folder, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert sentence in done.stderr


def test_no_x87_arithmetic_is_in_the_32_bit_dll(require_profile, crank):
    """T05 in the machine code: loads and stores of the x87 stack at the most, no arithmetic."""
    from capstone import CS_ARCH_X86, CS_MODE_32, Cs

    require_profile("win32")
    import pefile

    with pefile.PE(str(crank.built("win32").file)) as image:
        code = next(section for section in image.sections if section.Name.startswith(b".text"))
        found = {each.mnemonic for each in Cs(CS_ARCH_X86, CS_MODE_32).disasm(code.get_data(), 0)}
    assert "mulsd" in found
    assert {name for name in found if name.startswith("f")} <= {"fld", "fstp", "fnop"}


# ---- frames larger than a page ----


@pytest.mark.parametrize(
    ("profile", "size"), [("win32", 20_000), ("win64", 20_000), ("win64", 4_096), ("win64", 70_000)]
)
def test_a_large_frame_touches_its_pages_one_after_the_other(require_profile, tmp_path, profile, size):
    """Windows grows a stack by its guard page alone; a jump over it is a crash."""
    from unicorn import UC_HOOK_MEM_UNMAPPED

    require_profile(profile)
    tools = find(profile)
    (tmp_path / "windows.c").write_bytes(WINDOWS_SOURCE.read_bytes())
    body = f"volatile char room[{size}]; room[0] = (char)n; room[{size - 1}] = 1; return room[0];"
    (tmp_path / "big.c").write_text(f"int big(int n);\nint big(int n) {{ {body} }}\n")
    (tmp_path / "big.def").write_text("EXPORTS\n    big\n")
    flags = [*EXPORT_FLAGS, *tools.profile.core_flags, *tools.profile.library.compile_flags]
    link = ["-shared", "-nostdlib", "-Wl,--kill-at", "big.c", "windows.c", "big.def", "-o", "big.dll"]
    run_compiler(tools, [*flags, *link], tmp_path)
    emulated = guest(tmp_path / "big.dll", tools.profile.library.machine)
    top, grown = 0x7000_0000 - 0x2000, []
    emulated._engine.mem_unmap(0x7000_0000 - 0x10_0000, 0x10_0000 - 0x2000)

    def grow(engine: Any, _access: int, address: int, _size: int, _value: int, _data: object) -> bool:
        page = address & ~0xFFF
        if page != (grown[-1] if grown else top) - 0x1000:
            return False
        engine.mem_map(page, 0x1000)
        grown.append(page)
        return True

    emulated._engine.hook_add(UC_HOOK_MEM_UNMAPPED, grow)
    assert emulated.call("big", [42]) == 42
    assert len(grown) >= size // 0x1000 - 1


@pytest.mark.parametrize("profile", [*DLLS, *SHARED_OBJECTS])
def test_a_library_built_in_another_folder_has_the_same_bytes(require_profile, crank, tmp_path, profile):
    require_profile(profile)
    other, known = with_profile(crank, profile, tmp_path / "elsewhere"), crank.built(profile)
    assert other.file.read_bytes() == known.file.read_bytes()
    if known.import_library is not None:
        assert other.import_library.read_bytes() == known.import_library.read_bytes()


# ---- callers ----


def test_shim_compiles_without_a_word_under_strict_warnings(
    require_profile, require_tool, cases, crank, load_data_module, tmp_path
):
    require_profile("linux-x64")
    folder = crank.built("linux-x64").file.parent
    for precision in ("float64", "float32"):
        program = load_data_module("sample_program").slider_crank_program(precision, tunable=True)
        case = cases.Case(write_export(program, tmp_path / precision, {}), program, tmp_path / f"built-{precision}")
        for where in (folder, case.built("linux-x64").file.parent):
            command = [require_tool("gcc"), *EXPORT_FLAGS, *STRICT_WARNINGS, "-fsyntax-only", "slider_crank_lv.c"]
            done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, "")


def wine() -> str | None:
    return shutil.which("wine64") or next((str(p) for p in [Path("/usr/lib/wine/wine64")] if p.exists()), None)


@pytest.mark.slow
@pytest.mark.skipif(wine() is None, reason="wine64 is not installed: it is optional, apt-get install wine64")
def test_windows_loader_takes_the_dll_and_callbacks_work_in_threads(require_profile, crank, require_tool, tmp_path):
    """A C program loads the DLL by name as LabVIEW does, under wine; numbers against this computer's library."""
    require_profile("win64")
    source = Path(__file__).parents[1] / "data" / "labview_caller.c"
    compiler = require_tool("x86_64-w64-mingw32-gcc")
    subprocess.run([compiler, "-O1", str(source), "-o", "caller.exe"], cwd=tmp_path, check=True)
    shutil.copy(crank.built("win64").file, tmp_path / "slider_crank64.dll")
    environment = {
        "WINEPREFIX": str(tmp_path / "prefix"),
        "WINEDEBUG": "-all",
        "HOME": str(tmp_path),
        "PATH": "/usr/bin",
    }
    done = subprocess.run(
        [str(wine()), "caller.exe", "slider_crank64.dll"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    facts = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    own = load_native(crank.built("linux-x64").file)
    force = np.array([10.0, -5.0, 0.0, 2.5, 1.0])
    out, status, number = own.place(bytes(8 * 40)), own.place(bytes(20)), own.place(bytes(4))
    own.call("slider_crank_lv_open", [number])
    instance = struct.unpack("<i", own.read(number, 4))[0]
    own.call("slider_crank_lv_dostep_rows", [instance, own.place(force.tobytes()), 5, out, 40, status, 5])
    steps = facts["steps"].split()
    assert steps[0] == "0"
    assert [float.fromhex(text) for text in steps[1:]] == list(struct.unpack("<40d", own.read(out, 320)))
    assert facts["null"] == "-1"
    assert facts["callbacks"] == "0 0 1 0 0 2 0 0 3 0 0 4"
    assert facts["threads"] == "0 0 0 0"
    assert facts["abort"] == "0 -6"
    assert facts["unreserve"] == "0 1 0 1 0 1 0 1"
    assert (facts["afterwards"], facts["freed"]) == ("-3", "1")


def test_the_elf_has_no_executable_stack_and_no_writable_code(require_profile, crank):
    require_profile("linux-x64")
    with crank.built("linux-x64").file.open("rb") as stream:
        flags = [(each["p_type"], each["p_flags"]) for each in ELFFile(stream).iter_segments()]
    assert dict(flags)["PT_GNU_STACK"] & 1 == 0
    assert [each for kind, each in flags if kind == "PT_LOAD" and each & 3 == 3] == []
