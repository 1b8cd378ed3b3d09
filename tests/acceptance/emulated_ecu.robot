*** Settings ***
Documentation       The library's slider-crank on an emulated Cortex-M4F: identity, agreement, cost, deadlines.
...                 Times are virtual: every emulated instruction lasts 64 ns.
Library             hil.keywords
Suite Setup         Open The Bench And Step Vectors
Suite Teardown      Close Bench

*** Variables ***
${BENCH}            ${CURDIR}/emulated_ecu.toml
${ACTIVATIONS}      2000
${REPORT}           ${OUTPUT DIR}/deadlines

*** Keywords ***
Open The Bench And Step Vectors
    [Documentation]    What the setup of a suite has run is judged by all of its tests.
    Open Bench    ${BENCH}
    Generate Random Vectors    300    seed=7
    Run Test Vectors

*** Test Cases ***
The Device Runs The Model That The Bench Names
    Firmware Should Match Model

Every Output Is Bit Identical To The Same C On The Host
    Outputs Should Be Bit Identical

Outputs Are What The Model Says In Double Precision
    Outputs Should Match Reference

A Call Is Short And Costs The Same On Every Input
    Measure Cycle Time
    Worst Cycle Time Should Be Below    25 us
    Cycle Count Should Not Depend On Inputs

No Deadline Is Missed At A Thousand Activations A Second
    Run In Real Time    ${ACTIVATIONS}
    No Deadline Should Be Missed
    Start Jitter Should Be Below    1 us
    Save Deadline Report    ${REPORT}

Numbers Are Compared Without Rounding
    [Documentation]    The numeric keyword of the standard library rounds both sides first and gets these wrong.
    Number Should Be Close To    ${0.25}    ${0.2500000000001}    atol=1e-9
    Run Keyword And Expect Error    *limit is 1e-09*
    ...    Number Should Be Close To    ${0.00000012}    ${0.00000049}    atol=1e-9
    Number Should Be Close To    ${59.850000000000364}    ${59.85}    atol=1e-9

A Limit Of Zero Is Refused
    Run Keyword And Expect Error    *is zero*    Worst Cycle Time Should Be Below    0 us
