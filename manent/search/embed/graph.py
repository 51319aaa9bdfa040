"""The graph of a BERT encoder for onnxruntime, written from its weights.

Matrices are kept as signed numbers of seven bits, one scale a row; activations
are quantised as they come, to unsigned bytes. Seven bits, because the fastest
instruction without VNNI adds two products in sixteen bits: 2 x 255 x 63 fits, and
so every processor gives the same sums. Against float32 the vectors have cosine
.9966 (least .9946 over 60 texts), with seven bits as with eight
(``python -m eval.bench.embedding verify``).

Sums before normalisation are nodes of their own, and so the session must not fuse
nodes: onnxruntime's fused one takes eight times as long (0.57 to 0.07 ms).

The graph starts at the sum of word, position and kind embeddings, which the
caller looks up: the table of words would be 96 MB more to keep in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manent.search.embed.packed import PackedWeights

VERSION = 2
"""Raise it whenever the graph or its numbers change: vectors would."""
_TOP = 63
_CONTRIBUTED = "com.microsoft"
_OPSET = 18
_IR_VERSION = 9

INPUT = "embedded"
OUTPUT = "vector"


class _Graph:
    """Nodes and weights as they pile up."""

    def __init__(self, weights: PackedWeights) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.kept: list[Any] = []

    def keep(self, name: str, values: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self.kept.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add(
        self,
        kind: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        ours: bool = True,
        **how: Any,
    ) -> str:
        from onnx import helper

        domain = "" if ours else _CONTRIBUTED
        self.nodes.append(
            helper.make_node(kind, inputs, outputs, name=outputs[0], domain=domain, **how)
        )
        return outputs[0]

    def floats(self, name: str) -> str:
        return self.keep(name, self.weights.floats(name))

    def times(
        self, given: str, out: str, matrices: Sequence[str], biases: Sequence[str], columns: int
    ) -> str:
        """Multiply by the transposed matrices, side by side, and add their biases."""
        whole = np.concatenate([self.weights.matrix(name, columns) for name in matrices])
        scales = np.maximum(np.abs(whole).max(axis=1), np.float32(1e-12)) / np.float32(_TOP)
        numbers = np.rint(whole / scales[:, None]).astype(np.int8)
        added = np.concatenate([self.weights.floats(name) for name in biases])
        parts = [
            given,
            self.keep(f"{out}.numbers", numbers.T),
            self.keep(f"{out}.scales", scales),
            self.keep(f"{out}.zeros", np.zeros(len(whole), np.int8)),
            self.keep(f"{out}.biases", added),
        ]
        return self.add("DynamicQuantizeMatMul", parts, [out], ours=False)

    def normalised(self, given: str, before: str, out: str, norm: str) -> str:
        summed = self.add("Add", [given, before], [f"{out}.sum"])
        parts = [summed, self.floats(f"{norm}.w"), self.floats(f"{norm}.b")]
        epsilon = self.weights.epsilon
        return self.add("LayerNormalization", parts, [out], axis=-1, epsilon=epsilon)

    def layer(self, given: str, number: int) -> str:
        at, width, inner = f"l{number}.", self.weights.width, self.weights.inner
        three = [f"{at}{one}" for one in "qkv"]
        matrices, biases = [f"{name}.w" for name in three], [f"{name}.b" for name in three]
        product = self.times(given, f"{at}three", matrices, biases, width)
        self.add("Split", [product], three, axis=-1, num_outputs=3)
        heads = self.weights.heads
        attended = self.add(
            "MultiHeadAttention", three, [f"{at}attended"], ours=False, num_heads=heads
        )
        product = self.times(attended, f"{at}out", [f"{at}ao.w"], [f"{at}ao.b"], width)
        middle = self.normalised(product, given, f"{at}middle", f"{at}aln")
        product = self.times(middle, f"{at}wide", [f"{at}fi.w"], [f"{at}fi.b"], width)
        bent = self.add("Gelu", [product], [f"{at}bent"], ours=False)
        product = self.times(bent, f"{at}narrow", [f"{at}fo.w"], [f"{at}fo.b"], inner)
        return self.normalised(product, middle, f"{at}end", f"{at}oln")


def encoder(weights: PackedWeights) -> bytes:
    """Return the serialised graph: ``embedded`` (1, tokens, width) to ``vector`` (1, width)."""
    from onnx import TensorProto, helper

    graph = _Graph(weights)
    norm = [INPUT, graph.floats("emb.ln.w"), graph.floats("emb.ln.b")]
    state = graph.add("LayerNormalization", norm, ["start"], axis=-1, epsilon=weights.epsilon)
    for number in range(weights.layers):
        state = graph.layer(state, number)
    axes = graph.keep("axes", np.array([1], np.int64))
    mean = graph.add("ReduceMean", [state, axes], ["mean"], keepdims=0)
    graph.add("LpNormalization", [mean], [OUTPUT], axis=-1, p=2)
    floats = TensorProto.FLOAT
    given = helper.make_tensor_value_info(INPUT, floats, [1, "tokens", weights.width])
    made = helper.make_tensor_value_info(OUTPUT, floats, [1, weights.width])
    whole = helper.make_graph(graph.nodes, "encoder", [given], [made], graph.kept)
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIBUTED, 1)]
    model = helper.make_model(whole, opset_imports=opsets, ir_version=_IR_VERSION)
    return bytes(model.SerializeToString())
