"""Checks: what an export must hold on its vectors, one `check_*` function each.

In: a `Case` (the evidence of one function at one set of parameters, with the reference there), or the evidence alone
where no reference is needed. Out: verdicts and error series (`Judgement`). `sil.against_reference` and `sil.campaign`
call them; a check that nobody calls is refused by a test.
"""
