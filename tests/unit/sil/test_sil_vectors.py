"""Vectors: the fixed mix, the same numbers everywhere, stored exactly, close to what is dangerous."""

import hashlib

import numpy as np
import pytest

from exporter.errors import KinefixError, ModelError
from exporter.manifest import Field
from sil.domain import domain_of
from sil.generator import words
from sil.vectors import KINDS, Margins, Probe, read_vectors, vector_files, vectors


def field(name, minimum, maximum, nominal, unit="rad"):
    return Field(name, name, unit, "", "value", minimum, maximum, nominal)


@pytest.fixture(scope="module", params=["float32", "float64"])
def domain(request):
    fields = (field("theta", -1e4, 1e4, 0.785), field("F", -1000, 1000, 0, "N"), field("s", 0.1, 0.7, 0.55, "m"))
    return domain_of(fields, request.param)


def philox(counter, key):
    """Philox 4x64 with 10 rounds, Salmon et al. (2011), section 3.3."""
    mask = 2**64 - 1
    c, k = list(counter), list(key)
    for _ in range(10):
        low, high = 0xD2E7470EE14C6C93 * c[0], 0xCA5A826395121157 * c[2]
        c = [(high >> 64) ^ c[1] ^ k[0], high & mask, (low >> 64) ^ c[3] ^ k[1], low & mask]
        k = [(k[0] + 0x9E3779B97F4A7C15) & mask, (k[1] + 0xBB67AE8584CAA73B) & mask]
    return c


def test_generator_is_philox():
    """Our words are those of counters 1, 2, ...; the formula gives the known answer that Random123 ships for zeros."""
    known = [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
    assert philox((0, 0, 0, 0), (0, 0)) == known
    assert words(42, 7, 8).tolist() == philox((1, 0, 0, 0), (42, 7)) + philox((2, 0, 0, 0), (42, 7))


def test_mix_is_fixed_and_a_tenth_is_invalid(domain):
    made = vectors(domain, 7, 1001)
    invalid = ~domain.holds(made.rows)
    assert invalid.sum() == (made.kinds == KINDS.index("invalid")).sum() == 101
    assert set(made.mix()) == set(KINDS)
    assert all(number >= 50 for number in made.mix().values())


def test_every_kind_of_bad_number_occurs(domain):
    rows = vectors(domain, 7, 4000).rows
    assert np.isnan(rows).any(axis=0).all()
    assert np.isposinf(rows).any(axis=0).all()
    assert np.isneginf(rows).any(axis=0).all()
    above = np.nextafter(domain.maximum, np.array(np.inf, dtype=rows.dtype))
    assert (rows == above).any(axis=0).all()
    inside = (rows >= domain.minimum) & (rows <= domain.maximum)
    assert (~inside).all(axis=1).any()


def test_bounds_zeros_and_subnormals_occur(domain):
    rows = vectors(domain, 7, 4000).rows
    assert (rows == domain.minimum).any(axis=0).all()
    assert (rows == domain.maximum).any(axis=0).all()
    tiny = np.finfo(rows.dtype).smallest_normal
    small = (np.abs(rows[:, :2]) < tiny) & (rows[:, :2] != 0)
    assert small.any(axis=0).all()
    assert (np.signbit(rows[:, 1]) & (rows[:, 1] == 0)).any()


def test_same_seed_gives_the_same_file_and_another_seed_another(domain):
    one, same, other = vectors(domain, 7, 200), vectors(domain, 7, 200), vectors(domain, 8, 200)
    assert one.sha256 == same.sha256 != other.sha256
    assert hashlib.sha256(dict(vector_files(one, "position"))["position.npy"]).hexdigest() == one.sha256


def test_files_hold_the_numbers_exactly(domain, tmp_path):
    made = vectors(domain, 7, 200)
    for name, content in vector_files(made, "position"):
        path = tmp_path / name
        path.write_bytes(content)
        assert np.array_equal(read_vectors(path).astype(made.rows.dtype), made.rows, equal_nan=True)


def test_near_rows_approach_the_zero_of_a_margin_from_both_sides(domain):
    """With margin cos(theta) the rows gather at odd multiples of pi / 2, down to the spacing of the type."""

    def probe(rows):
        margin = np.cos(rows[:, [0]].astype(np.float64))
        return Margins(margin, margin)

    made = vectors(domain, 7, 2000, Probe("position", domain, list(range(len(domain.names))), probe))
    near = made.rows[made.kinds == KINDS.index("near_branch")]
    margins = probe(near).branch[:, 0]
    assert (margins > 0).any()
    assert (margins < 0).any()
    assert np.quantile(np.abs(margins), 0.25) < 1e-3


def test_near_rows_are_gathered_once_for_functions_of_more_inputs(domain):
    """Margins read theta: a function of F and theta has the rows that were gathered, and F over its whole range."""
    calls, alone = [], domain_of((field("theta", -1e4, 1e4, 0.785),), str(domain.minimum.dtype))

    def measure(rows):
        calls.append(len(rows))
        margin = np.cos(rows.astype(np.float64))
        return Margins(margin, margin)

    found = {}
    two = domain_of((field("F", -1000, 1000, 0, "N"), field("theta", -1e4, 1e4, 0.785)), str(domain.minimum.dtype))
    first = vectors(alone, 7, 2000, Probe("position", alone, [0], measure, found))
    searched = len(calls)
    made = vectors(two, 7, 2000, Probe("position", alone, [1], measure, found))
    assert searched > 0
    assert len(calls) == searched
    for kind in ("near_branch", "near_singular"):
        mine, theirs = made.rows[made.kinds == KINDS.index(kind)], first.rows[first.kinds == KINDS.index(kind)]
        np.testing.assert_array_equal(mine[:, 1], theirs[:, 0])
        assert np.quantile(np.abs(mine[:, 0]), 0.5) == pytest.approx(500, rel=0.2)


def test_a_margin_without_a_zero_is_approached_where_it_is_smallest(domain):
    def probe(rows):
        margin = 0.3 + np.sin(rows[:, [0]].astype(np.float64)) ** 2
        return Margins(margin, np.empty((len(rows), 0)))

    made = vectors(domain, 7, 2000, Probe("position", domain, list(range(len(domain.names))), probe))
    near = probe(made.rows[made.kinds == KINDS.index("near_branch")]).branch
    assert np.median(near) < 0.31


def test_an_input_without_a_range_is_refused():
    with pytest.raises(ModelError, match="'theta' has no range"):
        domain_of((field("theta", None, 1.0, 0.0),), "float32")


def test_a_vector_that_does_not_exist_is_refused(domain):
    with pytest.raises(KinefixError, match="there is no vector 20"):
        vectors(domain, 7, 20).only(20)
