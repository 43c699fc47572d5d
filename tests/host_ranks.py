"""What each process of a distributed run does; a module of its own, since processes import it by name."""

import torch.distributed as dist

from host_rows import ROWS
from qassay.hosts.torchmetrics import metric


def one_process(rank, folder):
    """Score unequal shares of the answers, and write the score of all."""
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    found, rows = metric("bleu"), ROWS[:70] if rank == 0 else ROWS[70:]
    found.update([row["candidate"] for row in rows], [row["references"] for row in rows])
    (folder / f"{rank}").write_text(repr(found.compute().item()))
    dist.destroy_process_group()
