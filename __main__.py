"""`python -m previously`: the command line."""

from previously.cli.app import main

if __name__ == "__main__":
    main()
