"""Which addresses on the net may be fetched from: public ones, and nothing that only this machine can reach."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[list[Address]]]

_NAT64 = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))
_NOT_PUBLIC = (
    # what the standard library of some Python versions takes for public
    ip_network("100.64.0.0/10"),  # shared by the customers of a provider; cloud services live there too
    ip_network("192.0.0.0/24"),  # protocol assignments; Oracle's cloud answers instances there
    ip_network("192.88.99.0/24"),  # relays to IPv6
    ip_network("168.63.129.16/32"),  # Azure's host, reachable from every machine in it
    ip_network("fec0::/10"),  # site-local, from before private addresses
    ip_network("::/96"),  # IPv4 in IPv6, as it was written once
    ip_network("2001::/23"),  # IPv4 in IPv6 (Teredo), and other protocol assignments
    ip_network("2002::/16"),  # IPv4 in IPv6 (6to4)
)


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet, and so does an IPv4 address inside of it.

    >>> is_public(ip_address("93.184.215.14")), is_public(ip_address("::ffff:127.0.0.1"))
    (True, False)
    """
    if any(address in network for network in _NOT_PUBLIC):
        return False
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return is_public(address.ipv4_mapped)
        if any(address in network for network in _NAT64):
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


async def resolve(host: str, port: int) -> list[Address]:
    """Every address of a host, as the system knows them. ``OSError`` where there is none.

    Notations such as ``2130706433`` and ``0x7f.1`` come back as the addresses that they mean.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
