"""A server in a process of its own, for tests that kill it: `python killable.py FILE PORT`."""

import sys
from pathlib import Path

from qassay.web.run import listen
from qassay.web.server import Server
from qassay.web.settings import Settings
from qassay.web.store.database import Database

if __name__ == "__main__":
    settings = Settings(port=int(sys.argv[2]), writes_per_second=1e6)
    listen(Server(settings, Database(Path(sys.argv[1]))), lambda: None)
