"""Exchange of deal problems and proofs with other programs.

- `json_document` validates JSON from untrusted sources, and `deal_problem_file` reads and writes
  the JSON format of deal problems.
- `rows` states a problem as linear constraints over named booleans. `solvers.rivals` uses it too.
- `formats` writes these constraints in the formats of other solvers.
- `proof` writes proofs of infeasibility in terms of these constraints. `checker` checks them, as
  does VeriPB; it shares no code with the writers.
"""
