"""Running a graph of a model folder on torch, for many items at once.

Each item is computed as the graph says for one text: nothing of an item depends on those beside it, so that it scores
the same in any batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from qassay.errors import ModelError
from qassay.models.gpu.exact_math import gelu, layer_norm
from qassay.models.gpu.graph_file import Node
from qassay.models.gpu.linear import Norm, Quantised
from qassay.models.gpu.operations import operations_on
from qassay.models.gpu.ragged import Layout, Ragged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from qassay.models.gpu.graph_file import GraphFile

_FLOAT = 1
"""ONNX's number of the type to which graphs cast."""


class Places(NamedTuple):
    """Rows of each item by their place: its first one, and the first one behind those of another layout."""

    second: Layout


Value = Ragged | Layout | Places | Quantised | torch.Tensor | None
"""Rows of items, the lengths of items, places in items, a constant, or an input that is left out."""
Operator = Callable[[Node, Sequence[Value]], Sequence[Value]]


class Network:
    """A graph with its weights on a device."""

    def __init__(self, graph: GraphFile, arrays: Mapping[str, NDArray[Any]], device: torch.device) -> None:
        self.graph = graph
        unknown = {node.kind for node in graph.nodes} - set(_OPERATORS)
        if unknown:
            raise ModelError(f"a graph has operators that cannot run on a GPU: {', '.join(sorted(unknown))}")
        stored = {**arrays, **graph.arrays}
        self._nodes = fused(graph.nodes)
        self._constants: dict[str, Value] = {}
        for node in graph.nodes:
            if node.kind == _DENSE:
                weight, scale, _, bias = node.inputs[1:5]
                given = (torch.from_numpy(stored[name].copy()) for name in (weight, scale, bias))
                self._constants[weight] = Quantised.on(device, *given)
        # Small integers say where to slice, and are read on this side.
        self._constants |= {
            name: torch.from_numpy(array.copy()).to(device if array.dtype.kind != "i" or array.ndim > 1 else "cpu")
            for name, array in stored.items()
            if name not in self._constants
        }

    @torch.inference_mode()
    def run(self, given: Mapping[str, Ragged]) -> list[Ragged]:
        """Return the outputs for all items of a batch."""
        values: dict[str, Value] = {**self._constants, **given, "": None}
        for node in self._nodes:
            made = _OPERATORS[node.kind](node, [values[name] for name in node.inputs])
            values.update(zip(node.outputs, made, strict=True))
        return [_rows(values[name]) for name in self.graph.outputs]


def fused(nodes: Sequence[Node]) -> list[Node]:
    """Join dense layers with the function behind them, and sums with the normalisation behind them and dense layers."""
    once = _joined(nodes, 0, {(_DENSE, "Gelu"): _DENSE_GELU, ("Add", "LayerNormalization"): _ADD_NORM})
    return _joined(once, 1, {(_DENSE, _ADD_NORM): _DENSE_ADD_NORM})


def _joined(nodes: Sequence[Node], place: int, kinds: Mapping[tuple[str, str], str]) -> list[Node]:
    """Join nodes with those that make their input at a place; inputs of those come first."""
    users = Counter(name for node in nodes for name in node.inputs)
    makers = {node.outputs[0]: node for node in nodes}
    joined: dict[str, Node] = {}
    for node in nodes:
        maker = makers.get(node.inputs[place]) if len(node.inputs) > place else None
        if maker is None or users[maker.outputs[0]] > 1 or (maker.kind, node.kind) not in kinds:
            continue
        kind = kinds[maker.kind, node.kind]
        inputs = (*maker.inputs, *node.inputs[:place], *node.inputs[place + 1 :])
        joined[node.outputs[0]] = Node(kind, inputs, node.outputs, {**maker.attributes, **node.attributes})
        joined[maker.outputs[0]] = joined[node.outputs[0]]
    # A joined node runs where its second part stood.
    return [
        joined.get(node.outputs[0], node) for node in nodes if joined.get(node.outputs[0], node).outputs == node.outputs
    ]


def _rows(value: Value) -> Ragged:
    if not isinstance(value, Ragged):
        raise _unexpected("rows of a text")
    return value


def _tensor(value: Value) -> torch.Tensor:
    if isinstance(value, Ragged):
        return value.values
    if not isinstance(value, torch.Tensor):
        raise _unexpected("numbers")
    return value


def _unexpected(wanted: str) -> ModelError:
    return ModelError(f"a graph does not run on a GPU: {wanted} expected; export the model again")


def _like(value: Value, values: torch.Tensor) -> Value:
    return Ragged(values, value.layout) if isinstance(value, Ragged) else values


def _pointwise(change: Callable[[torch.Tensor], torch.Tensor]) -> Operator:
    def run(_: Node, given: Sequence[Value]) -> list[Value]:
        return [_like(given[0], change(_tensor(given[0])))]

    return run


def _cast(node: Node, given: Sequence[Value]) -> list[Value]:
    if node.attributes["to"] != _FLOAT:
        raise _unexpected("a cast to single precision")
    return [_like(given[0], _tensor(given[0]).float())]


def _arithmetic(combine: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Operator:
    def run(_: Node, given: Sequence[Value]) -> list[Value]:
        left, right = given
        owner = left if isinstance(left, Ragged) else right
        return [_like(owner, combine(_tensor(left), _tensor(right)))]

    return run


def _multiply(_: Node, given: Sequence[Value]) -> list[Value]:
    rows, factor = _rows(given[0]), given[1]
    if isinstance(factor, torch.Tensor) and factor.ndim > 1 and len(factor) > 1:
        # One row of factors for each row of an item.
        return [Ragged(rows.values * factor[rows.layout.place], rows.layout)]
    return [Ragged(rows.values * _tensor(factor), rows.layout)]


def _gather(node: Node, given: Sequence[Value]) -> list[Value]:
    table, numbers = given
    if not node.attributes.get("axis"):
        return [_like(numbers, _tensor(table)[_tensor(numbers)])]
    rows = _rows(table)
    if not isinstance(numbers, Places):
        raise _unexpected("places in a text")
    chosen = torch.stack([rows.layout.starts, rows.layout.starts + numbers.second.counts], dim=1).flatten()
    lengths = rows.layout.lengths * 0 + 2
    return [Ragged(rows.values[chosen], Layout(lengths, rows.layout.device))]


def _shape(_: Node, given: Sequence[Value]) -> list[Value]:
    """Return the lengths of items, which is all that graphs want to know."""
    return [_rows(given[0]).layout]


def _slice(_: Node, given: Sequence[Value]) -> list[Value]:
    whole, start, end = given[:3]
    if isinstance(whole, Layout):
        return [whole]
    if isinstance(whole, torch.Tensor) and isinstance(end, Layout):
        # The first rows of a table, as many as each item has.
        return [Ragged(whole[end.place], end)]
    rows = _rows(whole)
    if isinstance(end, Layout):
        return [Ragged(rows.values[rows.layout.starts[end.item] + end.place], end)]
    skipped, first = (start, 0) if isinstance(start, Layout) else (None, int(_tensor(start)))
    layout, chosen = rows.layout.part(first, int(_tensor(end)), skipped)
    return [Ragged(rows.values[chosen], layout)]


def _concat(_: Node, given: Sequence[Value]) -> list[Value]:
    """Put rows of each item one behind the other; a constant is a row before those of each item."""
    first, *others = given
    if isinstance(first, torch.Tensor) and isinstance(others[0], Layout):
        return [Places(others[0])]
    if isinstance(first, torch.Tensor):
        behind = _rows(others[0]).layout
        one = Layout(behind.lengths * 0 + 1, behind.device)
        first = Ragged(first.flatten().expand(len(one)), one)
    joined = _rows(first)
    for each in others:
        other = _rows(each)
        layout, source = joined.layout.joined(other.layout)
        joined = Ragged(torch.cat([joined.values, other.values])[source], layout)
    return [joined]


def _pad(_: Node, given: Sequence[Value]) -> list[Value]:
    """Put a row of zeros before and behind each item."""
    rows = _rows(given[0])
    layout = Layout(rows.layout.lengths + 2, rows.layout.device)
    values = rows.values.new_zeros((layout.rows, *rows.values.shape[1:]))
    values[layout.starts[rows.layout.item] + 1 + rows.layout.place] = rows.values
    return [Ragged(values, layout)]


def _split(node: Node, given: Sequence[Value]) -> list[Value]:
    parts = _tensor(given[0]).chunk(int(node.attributes["num_outputs"]), dim=-1)
    return [_like(given[0], part) for part in parts]


def _norm(node: Node, given: Sequence[Value]) -> list[Value]:
    states, scale, shift = (_tensor(each) for each in given)
    return [_like(given[0], layer_norm(states, scale, shift, node.attributes["epsilon"]))]


def _add_norm(node: Node, given: Sequence[Value]) -> list[Value]:
    left, right, scale, shift = given
    if isinstance(left, Ragged) and isinstance(right, Ragged):
        norm = Norm(_tensor(scale), _tensor(shift), node.attributes["epsilon"])
        return [operations_on(left.layout.device).add_and_norm(left, right, norm)]
    return _norm(node, [*_arithmetic(torch.add)(node, [left, right]), scale, shift])


def _quantised(value: Value) -> Quantised:
    if not isinstance(value, Quantised):
        raise _unexpected("weights of a dense layer")
    return value


def _dense(node: Node, given: Sequence[Value]) -> list[Value]:
    rows, weights = _rows(given[0]), _quantised(given[1])
    return [operations_on(rows.layout.device).linear(rows, weights, gelu=node.kind == _DENSE_GELU)]


def _dense_add_norm(node: Node, given: Sequence[Value]) -> list[Value]:
    rows, weights = _rows(given[0]), _quantised(given[1])
    states, scale, shift = given[_DENSE_INPUTS:]
    norm = Norm(_tensor(scale), _tensor(shift), node.attributes["epsilon"])
    return [operations_on(rows.layout.device).linear_and_norm(rows, weights, _rows(states), norm)]


def _attention(node: Node, given: Sequence[Value]) -> list[Value]:
    """Return what each row of an item attends to in all its keys."""
    query, key, value = (_rows(each) for each in given)
    heads = int(node.attributes["num_heads"])
    return [operations_on(query.layout.device).attend(query, key, value, heads)]


def _identity(_: Node, given: Sequence[Value]) -> list[Value]:
    return [given[0]]


def _sum(_: Node, given: Sequence[Value]) -> list[Value]:
    return [_like(given[0], _tensor(given[0]).sum(-1))]


_DENSE, _DENSE_GELU, _ADD_NORM = "DynamicQuantizeMatMul", "dense layer and Gelu", "sum and normalisation"
_DENSE_ADD_NORM = "dense layer, sum and normalisation"
_DENSE_INPUTS = 5
"""Inputs of a dense layer, of which one is left out."""
_OPERATORS: dict[str, Operator] = {
    "Add": _arithmetic(torch.add),
    "Cast": _cast,
    "Concat": _concat,
    _DENSE: _dense,
    _DENSE_GELU: _dense,
    _ADD_NORM: _add_norm,
    _DENSE_ADD_NORM: _dense_add_norm,
    "Gather": _gather,
    "Gelu": _pointwise(gelu),
    "Identity": _identity,
    "LayerNormalization": _norm,
    "MatMul": _arithmetic(torch.matmul),
    "Mul": _multiply,
    "MultiHeadAttention": _attention,
    "Pad": _pad,
    "ReduceSum": _sum,
    "Shape": _shape,
    "Slice": _slice,
    "Split": _split,
    "Tanh": _pointwise(torch.tanh),
}
