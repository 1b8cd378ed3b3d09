"""Which names the symbol check forbids: names as compilers and libraries really emit them."""

import pytest

from targets.audit.symbols import _reason

# Bug reports behind the first group: sympy#14063, zephyr#57154, libm#246 (double helpers and libm in float kernels).
FORBIDDEN_IN_FLOAT32 = """
__aeabi_d2f __aeabi_dadd __aeabi_dmul __aeabi_f2d __aeabi_ddiv __aeabi_dcmplt __aeabi_cdcmple __aeabi_i2d __aeabi_ui2d
__aeabi_d2iz __aeabi_d2uiz __muldf3 __adddf3 __divdf3 __extendsfdf2 __truncdfsf2 __floatsidf __fixdfsi __ltdf2
pow sin cos sqrt powf sinf cosf sqrtf atan2 atan2f fmaxf floorf __ieee754_sqrtf __sincosf_finite sincosf
__aeabi_fadd __aeabi_fmul __aeabi_fcmple __aeabi_i2f __aeabi_f2iz __mulsf3
__aeabi_idiv __aeabi_uldivmod __divsi3 memcpy __aeabi_memcpy4 memset malloc __gnu_thumb1_case_uqi
"""
ALLOWED = """
slider_crank_position kfx_sincos_f32 kfx_atan2_f64 _start sine_table cosmos power diff Reset_Handler
"""


@pytest.mark.parametrize("name", FORBIDDEN_IN_FLOAT32.split())
def test_a_float32_export_may_not_link(name: str) -> None:
    assert _reason(name, "float32")


@pytest.mark.parametrize("name", ALLOWED.split())
def test_names_of_our_own_are_no_library(name: str) -> None:
    assert not _reason(name, "float32")
    assert not _reason(name, "float64")


def test_a_double_helper_is_named_as_what_it_is() -> None:
    assert "double precision" in _reason("__aeabi_dmul", "float32")
    assert "software" in _reason("__aeabi_dmul", "float64")
