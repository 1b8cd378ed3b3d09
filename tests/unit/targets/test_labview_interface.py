"""The flat interface: header, list of exports and call table say the same, and LabVIEW can understand it."""

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from pycparser import c_ast, c_parser

from exporter.errors import ModelError
from exporter.export import Export, write_export
from exporter.manifest import Manifest
from targets.labview.call_table import call_table
from targets.labview.interface import c_symbols, calls, exported_names
from targets.labview.oracle import nominal_derived
from targets.labview.readme import readme_text
from targets.labview.shim import Texts, int32_literal, texts, version_resource

# What a Call Library Function Node can pass, in C: numbers by value, pointers to them, C strings.
LABVIEW_TYPES = {"int", "double", "int *", "double *", "const double *", "char *"}
VARIANTS = [("float64", False), ("float64", True), ("float32", True)]


@pytest.fixture(params=VARIANTS, ids=["frozen", "tunable", "float32"])
def sample(
    request: pytest.FixtureRequest, load_data_module: Callable[[str], ModuleType], tmp_path: Path
) -> tuple[Export, Texts]:
    """A slider-crank with and without a tunable parameter, with its printed interface."""
    precision, tunable = request.param
    program = load_data_module("sample_program").slider_crank_program(precision, tunable=tunable)
    export = write_export(program, tmp_path / "export", {})
    return export, texts(export.manifest, nominal_derived(program))


def declarations(header: str) -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """Function -> (result, [(type, name)]): read by a C parser with nothing defined, comments taken out."""
    plain = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    assert "#" not in plain, "the wizard would have to preprocess the header"
    found = {}
    for node in c_parser.CParser().parse(plain).ext:
        assert isinstance(node, c_ast.Decl), "something else than a declaration"
        arguments = node.type.args.params if node.type.args else []
        spelled = [("void", "")] if not arguments else [(spelling(each.type), each.name or "") for each in arguments]
        found[node.name] = (spelling(node.type.type), [each for each in spelled if each[0] != "void"])
    return found


def spelling(node: c_ast.Node) -> str:
    """A type as it is written."""
    if isinstance(node, c_ast.PtrDecl):
        return f"{spelling(node.type)} *".replace("* *", "**")
    return " ".join([*node.quals, *node.type.names])


def table(manifest: Manifest) -> dict[str, list[dict[str, str]]]:
    """clfn.csv by function."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(call_table(manifest))):
        found.setdefault(row["function"], []).append(row)
    return found


def test_a_c_parser_with_nothing_defined_finds_every_function_of_the_header(sample):
    export, printed = sample
    assert set(declarations(printed.header)) == {call.symbol for call in calls(export.manifest)}


def test_every_type_of_the_header_is_one_that_labview_has(sample):
    """T08: no struct can be packed differently where none is passed."""
    for result, arguments in declarations(sample[1].header).values():
        assert result == "int"
        assert {kind for kind, _ in arguments} <= LABVIEW_TYPES


def test_every_array_and_text_has_its_length_beside_it(sample):
    """T09: a data pointer carries no length."""
    export, printed = sample
    for call in calls(export.manifest):
        names = [each.name for each in call.parameters]
        for position, each in enumerate(call.parameters):
            if "array" in each.kind.value or "text" in each.kind.value:
                assert names[position + 1] == each.length
                assert declarations(printed.header)[call.symbol][1][position + 1][0] == "int"


def test_no_pointer_is_passed_as_a_number_and_no_number_is_a_pointer(sample):
    """T10: an instance is a small int by value; nothing of the interface is as wide as a pointer."""
    for _, arguments in declarations(sample[1].header).values():
        assert [kind for kind, name in arguments if name == "instance" and kind not in {"int", "int *"}] == []


def test_definition_and_version_map_list_what_both_headers_declare(sample):
    export, printed = sample
    listed = [line.strip() for line in printed.definition.splitlines() if line.startswith("    ")]
    mapped = re.findall(r"^        (\w+);$", printed.version_map, flags=re.MULTILINE)
    c_header = (export.folder / f"{export.manifest.name}.h").read_text()
    declared = set(re.findall(rf"^(?:\w+ )+({export.manifest.name}_\w+)\(", c_header, flags=re.MULTILINE))
    assert listed == mapped == list(exported_names(export.manifest))
    assert set(listed) == set(declarations(printed.header)) | (declared - {f"{export.manifest.name}_selftest"})
    assert set(c_symbols(export.manifest)) == declared - {f"{export.manifest.name}_selftest"}


def test_call_table_has_every_node_with_the_arguments_of_the_header(sample):
    """All but the callbacks, which are named on a page of a node and never placed."""
    export, printed = sample
    declared, rows = declarations(printed.header), table(export.manifest)
    prefix = f"{export.manifest.name}_lv"
    assert set(declared) - set(rows) == {f"{prefix}_reserve", f"{prefix}_unreserve", f"{prefix}_abort"}
    for function, lines in rows.items():
        assert [line["position"] for line in lines] == [str(number) for number in range(len(lines))]
        assert [(line["c"]) for line in lines[1:]] == [
            f"{kind}{'' if kind.endswith('*') else ' '}{name}" for kind, name in declared[function][1]
        ]


SETTING_OF = {
    "int": ("Numeric", "Signed 32-bit Integer", "Value"),
    "double": ("Numeric", "8-byte Double", "Value"),
    "char *": ("String", "", "C String Pointer"),
    "const double *": ("Array", "8-byte Double", "Array Data Pointer"),
}


def test_call_table_has_the_setting_that_belongs_to_the_type(sample):
    """Written down a second time here, from the node's dialogue."""
    export, printed = sample
    declared = declarations(printed.header)
    for function, lines in table(export.manifest).items():
        for (kind, _), line in zip(declared[function][1], lines[1:], strict=True):
            setting = (line["type"], line["data_type"], line["pass_or_format"])
            if kind in SETTING_OF:
                assert setting == SETTING_OF[kind]
            elif line["type"] == "Array":
                assert setting[2] == "Array Data Pointer"
                assert line["dimensions"] == "1"
            elif line["type"] == "Numeric":
                assert setting[2] == "Pointer to Value"
            else:
                assert line["type"] == "Instance Data Pointer"
                assert [line[name] for name in ("reserve", "unreserve", "abort")] == [
                    f"{export.manifest.name}_lv_{name}" for name in ("reserve", "unreserve", "abort")
                ]
            assert (line["calling_convention"], line["thread"]) == ("C", "Run in any thread")


def test_readme_has_a_table_of_settings_for_every_node(sample):
    export, _ = sample
    text = readme_text(export.manifest)
    for function, lines in table(export.manifest).items():
        section = text.split(f"### {function}\n")[1].split("\n### ")[0]
        for line in lines:
            assert f"| {line['argument']} | {line['type']} |" in section


def test_a_function_called_as_one_of_ours_gets_an_ending(sample):
    """A model may have a function "open"."""
    manifest = sample[0].manifest
    renamed = replace(manifest, functions=(replace(manifest.functions[0], name="open"), *manifest.functions[1:]))
    symbols = [call.symbol for call in calls(renamed)]
    assert f"{manifest.name}_lv_open_v" in symbols
    assert len({symbol.lower() for symbol in symbols}) == len(symbols)


@pytest.mark.parametrize("name", ["3bar", "four bar", "a_very_long_mechanism_name", "double"])
def test_a_name_that_is_no_prefix_of_c_names_is_refused(sample, name):
    with pytest.raises(ModelError, match=f"'{name}'"):
        calls(replace(sample[0].manifest, name=name))


def test_a_function_name_that_is_too_long_is_refused(sample):
    manifest = sample[0].manifest
    long = replace(manifest.functions[0], name="f" * 60)
    with pytest.raises(ModelError, match="at most 63 characters"):
        calls(replace(manifest, functions=(long,)))


def test_text_of_a_model_cannot_break_out_of_a_resource_or_a_string(sample):
    manifest = replace(sample[0].manifest, title='A "crank" \\ with ??/ and */')
    script = version_resource(manifest, "x32.dll")
    assert 'VALUE "FileDescription", "A ""crank"" \\\\ with ? ?/ and * /"' in script
    assert "*/ " not in texts(manifest, dict.fromkeys(_derived(manifest), 1.0)).header.split("\n")[0]


def _derived(manifest: Manifest) -> list[str]:
    return [field.name for struct in manifest.structs if struct.group == "derived" for field in struct.fields]


@pytest.mark.parametrize(
    ("word", "literal"), [(0, "0"), (0x7FFFFFFF, "2147483647"), (0xFFFFFFFF, "-1"), (0x80000000, "(-2147483647 - 1)")]
)
def test_identity_is_the_same_32_bits_as_a_signed_literal(word, literal):
    assert int32_literal(word) == literal
