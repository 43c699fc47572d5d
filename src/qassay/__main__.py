"""`python -m qassay` is `qassay`."""

from qassay.cli.main import run

if __name__ == "__main__":
    run()
