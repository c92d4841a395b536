"""Exchange of deal problems and proofs with other programs.

- `json_document` validates JSON from untrusted sources.
- `deal_problem_file` reads and writes the JSON format of deal problems.
- `rows` states a problem as linear constraints over named booleans. `solvers.rivals` uses it too.
- `formats` writes these constraints in the formats of other solvers.
- `proof` writes proofs of infeasibility that refer to these constraints.
- `checker` checks these proofs independently of the code that writes them. VeriPB can do so, too.
"""
