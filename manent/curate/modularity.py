"""Modularity communities (Louvain), in whole numbers, so that it ends and runs agree.

Nodes move one by one to the neighbouring group that gains most; only the neighbours
of one that moved are asked again. Then groups become nodes, until none moves. Every
move raises the modularity by a whole step of 1/m², so no rounding can go in circles.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping

Weights = Mapping[int, Mapping[int, int]]
"""By node its neighbours, never itself, and how often they are linked."""


def groups(weights: Weights) -> list[set[int]]:
    """Return the groups of the nodes, in the order of the first node of each in ``weights``."""
    degrees = {node: sum(near.values()) for node, near in weights.items()}
    total = sum(degrees.values())
    members = {node: {node} for node in weights}
    while True:
        home = _moved(weights, degrees, total)
        if all(node == group for node, group in home.items()):
            return list(members.values())
        joined: dict[int, set[int]] = {}
        held: dict[int, int] = defaultdict(int)
        merged: dict[int, dict[int, int]] = {}
        for node, group in home.items():
            joined.setdefault(group, set()).update(members[node])
            held[group] += degrees[node]
            near = merged.setdefault(group, {})
            for other, times in weights[node].items():
                if home[other] != group:
                    near[home[other]] = near.get(home[other], 0) + times
        members, degrees, weights = joined, dict(held), merged


def _moved(weights: Weights, degrees: Mapping[int, int], total: int) -> dict[int, int]:
    """Return by node the group it ends in, named by one of its nodes."""
    home = {node: node for node in weights}
    held = dict(degrees)
    waiting, queued = deque(weights), set(weights)
    while waiting:
        node = waiting.popleft()
        queued.discard(node)
        mine, degree = home[node], degrees[node]
        near: dict[int, int] = {}
        for other, times in weights[node].items():
            near[home[other]] = near.get(home[other], 0) + times
        held[mine] -= degree
        best, most = mine, near.get(mine, 0) * total - degree * held[mine]
        for group, times in near.items():
            gain = times * total - degree * held[group]
            if gain > most:
                best, most = group, gain
        held[best] += degree
        if best != mine:
            home[node] = best
            again = [n for n in weights[node] if n not in queued and home[n] != best]
            waiting.extend(again)
            queued.update(again)
    return _named(home)


def _named(home: Mapping[int, int]) -> dict[int, int]:
    """Name each group by its first node: the one it is called after may have left."""
    first: dict[int, int] = {}
    return {node: first.setdefault(group, node) for node, group in home.items()}
