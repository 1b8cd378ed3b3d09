"""A composition as JSON-able data and back: what the manifest keeps, and what the model hash is made of."""

import hashlib
import json
from typing import Any

from exporter.composition.composition import KIND, Composition
from exporter.model import canonical as of_mechanism
from exporter.symbolic import canonical as of_controller

Json = dict[str, Any]


def canonical(composition: Composition) -> Json:
    """The composition as data, the same for the same models everywhere."""
    controller = of_controller.canonical(composition.controller)
    return {
        "kind": KIND,
        "name": composition.name,
        "title": composition.title,
        "mechanism": of_mechanism.canonical(composition.mechanism),
        "controller": controller,
        "measured": dict(sorted(composition.measured.items())),
        "driven": dict(sorted(composition.driven.items())),
        "parameters": controller["parameters"],
        "whole": list(composition.whole),
    }


def model_hash(composition: Composition) -> str:
    """SHA-256 of the canonical composition."""
    text = json.dumps(canonical(composition), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def from_canonical(data: Json) -> Composition:
    """The composition that `canonical` was given.

    Raises:
        ModelError: a part of it is unknown to this version.
    """
    return Composition(
        data["name"],
        of_mechanism.from_canonical(data["mechanism"]),
        of_controller.from_canonical(data["controller"]),
        data["measured"],
        data["driven"],
        data["title"],
    )
