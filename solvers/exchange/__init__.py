"""Deal problems as others read and write them.

`json_document` reads JSON that anybody may have written, `deal_problem_file` is our own format.
`rows` says a problem as linear rows over named booleans, for `solvers.rivals` too. `formats` writes
these in the formats of other people's solvers, and `proof` proves from them that nothing can be
dealt, for `checker` (ours, and independent of all that writes) and VeriPB.
"""
