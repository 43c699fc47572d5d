"""What an operator chooses for a server: where it listens, whom it answers, and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address

from qassay.errors import SpecError

PORT = 8765
MEGABYTE = 1 << 20
_HTTP, _HTTPS = 80, 443


@dataclass(frozen=True, slots=True)
class Settings:
    """Where a server listens, whom it answers, and its limits."""

    host: str = "127.0.0.1"
    port: int = PORT
    allowed_hosts: tuple[str, ...] = ()
    """Names besides those of this machine under which the server is reached, as they stand in the Host header."""
    certificate: str | None = None
    key: str | None = None
    insecure: bool = False
    """Whether to listen for other machines without encryption."""
    body_bytes: int = 2 * MEGABYTE
    stream_bytes: int = 64 * MEGABYTE
    body_seconds: float = 30.0
    """How long a body may take, or a line of a streamed one."""
    joins_per_minute: int = 20
    writes_per_second: float = 10.0
    batch_answers: int = 32
    """Answers that are scored together."""
    waiting_answers: int = 4096
    """Answers that may wait to be scored; beyond, requests are told to come back."""

    def check(self) -> None:
        """Raise `SpecError` where other machines could reach the server without what protects it."""
        if (self.certificate is None) != (self.key is None):
            raise SpecError("--tls-cert and --tls-key belong together; give both, or none")
        if is_loopback(self.host):
            return
        if not self.allowed_hosts:
            raise SpecError(
                f"--host {self.host} lets other machines in; say under which name with --allow-host NAME, "
                "or leave --host out and put a proxy in front"
            )
        if self.certificate is None and not self.insecure:
            raise SpecError(
                f"--host {self.host} without encryption; give --tls-cert and --tls-key, put a proxy in front of "
                "127.0.0.1, or say --insecure if the network is trusted"
            )

    @property
    def hosts(self) -> frozenset[str]:
        """Every value of the Host header that is answered."""
        own = ["127.0.0.1", "localhost", "[::1]", self._address] if is_loopback(self.host) else []
        named = [each.lower() for each in self.allowed_hosts]
        # Browsers leave out the port that the scheme stands for.
        bare = [*own, *named] if self.port == (_HTTP if self.certificate is None else _HTTPS) else named
        return frozenset([*(f"{name}:{self.port}" for name in (*own, *named)), *bare])

    @property
    def url(self) -> str:
        """Where a browser finds the server."""
        scheme = "http" if self.certificate is None else "https"
        if not self.allowed_hosts:
            return f"{scheme}://{self._address}:{self.port}"
        if is_loopback(self.host):
            # Behind a proxy, which does the encryption.
            return f"https://{self.allowed_hosts[0]}"
        return f"{scheme}://{self.allowed_hosts[0]}:{self.port}"

    @property
    def _address(self) -> str:
        """Where the server listens, as it stands in an address: IPv6 in brackets."""
        bare = self.host.strip("[]").lower()
        return f"[{bare}]" if ":" in bare else bare

    @property
    def encrypted(self) -> bool:
        """Whether browsers reach the server by https, so that its cookies are for https alone."""
        return self.url.startswith("https:")


def is_loopback(host: str) -> bool:
    """Whether an address is of this machine alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
