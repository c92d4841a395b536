"""Entry point of `python -m quaternity`, which runs the command `quaternity`."""

from quaternity.cli import main

if __name__ == "__main__":
    main()
