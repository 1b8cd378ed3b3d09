"""One vector told in full: inputs, outputs, status, decimal and hexadecimal. In: a campaign of one row; out: text."""

from exporter.manifest import Manifest
from sil.campaign import Campaign
from sil.tested_vectors import TestedVectors


def replay_text(campaign: Campaign) -> str:
    """The lines that `--replay` prints before the verdicts."""
    return "\n".join(line for tested in campaign.tested for line in _lines(campaign, tested))


def _lines(campaign: Campaign, tested: TestedVectors) -> list[str]:
    lines = [f"{campaign.manifest.name} {tested.function}, vector {campaign.options.row}"]
    for name, value in tested.parts[0].parameters.changed.items():
        lines.append(f"  par  {name:<24} {value!r:<26} {value.hex()}")
    for name, value in zip(tested.vectors.names, tested.vectors.rows[0].tolist(), strict=True):
        lines.append(f"  in   {name:<24} {value!r:<26} {value.hex()}")
    for field, value in zip(tested.fields, tested.ran.outputs[0].tolist(), strict=True):
        lines.append(f"  out  {field.name:<24} {value!r:<26} {value.hex()}  {field.unit}")
    lines.append(f"  status {_status(campaign.manifest, int(tested.ran.status[0]))}")
    return lines


def _status(manifest: Manifest, word: int) -> str:
    names = [name for name, bit in manifest.status.items() if word >> bit & 1]
    return f"0x{word:08X} {' '.join(names)}".rstrip()
