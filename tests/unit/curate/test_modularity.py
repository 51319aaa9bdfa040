"""Communities against what networkx finds, and the laws of a partition."""

from __future__ import annotations

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manent.curate.modularity import groups


def weights_of(graph: networkx.Graph) -> dict[int, dict[int, int]]:
    return {
        n: {m: edge.get("weight", 1) for m, edge in near.items()} for n, near in graph.adj.items()
    }


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 15), st.integers(0, 15)).filter(lambda pair: pair[0] < pair[1]),
        st.integers(1, 5),
        max_size=60,
    )
)
def test_groups_are_a_partition_that_is_no_worse_than_none(
    links: dict[tuple[int, int], int],
) -> None:
    graph = networkx.Graph()
    graph.add_nodes_from(range(16))
    graph.add_weighted_edges_from((a, b, times) for (a, b), times in links.items())
    found = groups(weights_of(graph))
    assert sorted(node for group in found for node in group) == list(range(16))
    assert found == groups(weights_of(graph))
    if links:
        alone = networkx.community.modularity(graph, [{n} for n in graph])
        assert networkx.community.modularity(graph, found) >= alone


@pytest.mark.parametrize("seed", range(5))
def test_groups_that_are_there_are_found(seed: int) -> None:
    graph = networkx.planted_partition_graph(8, 25, 0.5, 0.01, seed=seed)
    found = groups(weights_of(graph))
    assert sorted(map(sorted, found)) == [list(range(n * 25, n * 25 + 25)) for n in range(8)]


@pytest.mark.parametrize("seed", range(5))
def test_groups_are_about_as_good_as_those_of_networkx(seed: int) -> None:
    graph = networkx.powerlaw_cluster_graph(400, 4, 0.3, seed=seed)
    mine = networkx.community.modularity(graph, groups(weights_of(graph)))
    theirs = networkx.community.modularity(
        graph, networkx.community.louvain_communities(graph, seed=seed)
    )
    assert mine >= theirs - 0.04
