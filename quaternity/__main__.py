"""`python -m quaternity` is the command `quaternity`."""

from quaternity.cli import main

if __name__ == "__main__":
    main()
