"""The numbered scripts that made the tables what they are; a script that was released is never changed."""

from importlib.resources import files


def scripts() -> list[str]:
    """Return the scripts in order; the first makes an empty file into the first schema."""
    found = sorted(
        (each for each in files(__package__).iterdir() if each.name.endswith(".sql")), key=lambda each: each.name
    )
    return [each.read_text(encoding="utf-8") for each in found]
