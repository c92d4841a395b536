"""The program with fixed draws: `python -m tests.web.seeded_program` is `quaternity`.

`QUATERNITY_TEST_DRAWS` names the sequence of draws. A server process that this one starts imports
the module too, and has a sequence of its own.
"""

import os
import sys
from multiprocessing import current_process

from tests.fixed_draws import fix_draws, seed_draws

fix_draws()
seed_draws(f"{os.environ['QUATERNITY_TEST_DRAWS']}/{current_process().name}")

if __name__ == "__main__":
    from quaternity.cli import main

    sys.exit(main())
