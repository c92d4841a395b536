"""Compile every proof, and print the assumptions of each theorem."""

import sys
import tempfile
from pathlib import Path

from tests.proofs import CLOSED, FILES, assumptions, compile_proof, missing


def main() -> int:
    """Return 0 if every theorem is proved, 1 if any has assumptions, 2 if Coq is missing."""
    if absent := missing():
        print(f"not installed: apt-get install {' '.join(absent)}", file=sys.stderr)
        return 2
    theorems = failed = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in FILES:
            compile_proof(folder, name)
            for statement, rests_on in assumptions(folder, name).items():
                print(f"{name}.v: {statement}: {rests_on}")
                theorems += 1
                failed += rests_on != CLOSED
            theorems -= 1  # "everything" is the theorems and lemmas together
    print(f"{theorems} theorems, {failed} that rest on more than logic")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
