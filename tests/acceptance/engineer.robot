*** Settings ***
Documentation       What a test engineer does in a day with one ECU: several benches, runs and parameters in one suite.
...                 ${BENCHES} holds m4f.toml, m3.toml and software.toml of a slider-crank with tunable l1 and m3.
Library             OperatingSystem
Library             hil.keywords
Test Teardown       Close Bench

*** Test Cases ***
Lockstep And Free Run With Seeds Of Their Own
    Open Bench    ${BENCHES}/m4f.toml
    Firmware Should Match Model
    Generate Random Vectors    300    seed=7
    Run Test Vectors
    Outputs Should Be Bit Identical
    Outputs Should Match Reference
    Measure Cycle Time
    Worst Cycle Time Should Be Below    25 us
    Cycle Count Should Not Depend On Inputs
    Run In Real Time    2000
    No Deadline Should Be Missed
    Start Jitter Should Be Below    1 us
    ${page}=    Save Deadline Report    ${OUTPUT DIR}/deadlines
    ${text}=    Get File    ${page}
    Should Contain    ${text}    300 vectors, seed 7
    Should Contain    ${text}    2,000 activations through a ring of 256 vectors, seed 1
    Should Contain    ${text}    --lockstep 300 --free-run 0 --seed 7
    Should Contain    ${text}    --lockstep 0 --free-run 2000 --seed 1
    Should Not Contain    ${text}    1e+

Outputs Follow The Parameters
    Open Bench    ${BENCHES}/m4f.toml
    Generate Random Vectors    200    seed=7
    FOR    ${length}    IN    100 mm    0.35 m    0.2
        Set Parameter    l1    ${length}
        Run Test Vectors
        Outputs Should Be Bit Identical
        Outputs Should Match Reference
    END
    Set Parameter    m3    3500 g
    Run In Real Time    500
    No Deadline Should Be Missed
    ${page}=    Save Deadline Report    ${OUTPUT DIR}/tuned
    ${text}=    Get File    ${page}
    Should Contain    ${text}    l1 = 0.2, m3 = 3.5
    Should Contain    ${text}    --parameter=l1=0.2 --parameter=m3=3.5
    Run Keyword And Expect Error    *recalibrate flags ARG_REJECTED*0.1 to 0.35*    Set Parameter    l1    1 m
    Run Keyword And Expect Error    *wanted is a length*    Set Parameter    l1    2 s
    Run Keyword And Expect Error    *no tunable parameter*l1, m3*    Set Parameter    l2    1 m
    Run Test Vectors
    Outputs Should Be Bit Identical

A Reset Starts The Device Anew
    Open Bench    ${BENCHES}/software.toml    target=m4f
    Set Parameter    l1    200 mm
    Set State    theta    90 deg
    Run For    5 ms
    ${turned}=    Read Output    theta    deg
    Number Should Be Close To    ${turned}    90    atol=1
    Reset Ecu
    Firmware Should Match Model
    Step
    Output Should Be    theta    45 deg    tolerance=0.1 deg
    Outputs Should Be Bit Identical

Two Runs In One Session
    Open Bench    ${BENCHES}/m4f.toml
    Run In Real Time    500
    No Deadline Should Be Missed
    Run In Real Time    500    seed=3
    No Deadline Should Be Missed

M3 Is Not Fixed Time
    Open Bench    ${BENCHES}/m3.toml
    Generate Random Vectors    100    seed=7
    Run Test Vectors
    Run Keyword And Expect Error    *apart*    Cycle Count Should Not Depend On Inputs
    Load Test Vectors    ${BENCHES}/alike.npy
    Run Test Vectors
    Run Keyword And Expect Error    *others need not: not fixed-time*    Cycle Count Should Not Depend On Inputs

Software Agrees
    Open Bench    ${BENCHES}/software.toml
    Generate Random Vectors    300    seed=7
    Set Parameter    l1    120 mm
    Run Test Vectors
    Outputs Should Be Bit Identical

Software Has No Clock
    Open Bench    ${BENCHES}/software.toml
    Generate Random Vectors    10
    Run Test Vectors
    Measure Cycle Time

A Limit Without Sense Is Refused
    Open Bench    ${BENCHES}/software.toml
    Run Keyword And Expect Error    *zero*    Worst Cycle Time Should Be Below    0 us
    Run Keyword And Expect Error    *    Worst Cycle Time Should Be Below    400
    Run Keyword And Expect Error    *cannot be read*    Load Test Vectors    ${BENCHES}/none.npy
    Run Keyword And Expect Error    *nothing was run*    Save Deadline Report    ${OUTPUT DIR}/nothing

Opening Another Bench Closes The First
    Open Bench    ${BENCHES}/software.toml
    Open Bench    ${BENCHES}/m4f.toml
    Firmware Should Match Model
