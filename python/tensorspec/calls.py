# SPDX-License-Identifier: Apache-2.0
"""Calls of another size, and what torch.export wants to know, from a contract and an example.

    args, kwargs = make_call(contract, {"input_ids": ids, "attention_mask": mask}, batch=4, seq=128)
    program = torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes(contract, (args, kwargs), model))
"""
from __future__ import annotations

import copy
import itertools
import math
import warnings
from collections.abc import Mapping
from typing import Any

from tensorspec._core import Checker, Contract
from tensorspec.errors import want
from tensorspec.paths import OTHER, TENSOR, Layout, kind_of, nested, what_names_need

__all__ = ["dynamic_shapes", "make_call"]

_PIECE = 1 << 14  # elements drawn at once


def as_call(example):
    """(args, kwargs) of an example: such a pair, a dict of named arguments, a tuple or list of arguments, or one argument."""
    if isinstance(example, (tuple, list)):
        if len(example) == 2 and isinstance(example[0], (tuple, list)) and isinstance(example[1], dict) \
                and all(isinstance(key, str) for key in example[1]):
            return tuple(example[0]), dict(example[1])
        return tuple(example), {}
    if isinstance(example, Mapping):
        return (), dict(example)
    return (example,), {}


def variant_of(contract, tensors, forward):
    """The variant of a call with these tensors ([TensorInfo]). Raises ValueError when it breaks the contract."""
    verdict = Checker(contract, "relations").check(tensors)
    if not verdict:
        need = what_names_need((tensor.name for tensor in tensors), forward)
        raise ValueError("; ".join(filter(None, (f"the example does not fit the contract: {verdict}", need))))
    return contract.variants[verdict.variant]


def _affine(dim, symbol, values):
    """(k, c) when `dim` is k*symbol + c with the other symbols as in `values`; None when it is not."""
    at = [dim.evaluate({**values, symbol: x}) for x in (0, 1, 2, 3, 1009, 99991)]
    if None in at:
        return None
    k, c = at[1] - at[0], at[0]
    return (k, c) if k != 0 and at[2:] == [k * x + c for x in (2, 3, 1009, 99991)] else None


def _factor(dim):
    """k when `dim` is k times the product of its symbols, else None."""
    symbols = dim.symbols
    if not symbols:
        return None
    k = dim.evaluate(dict.fromkeys(symbols, 1))
    if not k or k < 1:
        return None
    for primes in ((2, 3, 5, 7, 11, 13), (1009, 10007, 509, 101, 103, 107), (0, 3, 5, 7, 11, 13), (17, 0, 5, 7, 11, 13)):
        values = dict(zip(symbols, primes))
        if len(values) != len(symbols) or dim.evaluate(values) != k * math.prod(values.values()):
            return None
    return k


def _axis(name, axis):
    return f"{name}[{axis}]"


def _solve(dims, sizes, known=()):
    """{symbol: size} from dims and the sizes that they have, both by axis. Raises ValueError when they contradict."""
    values = dict(known)
    left = {axis: dim for axis, dim in dims.items() if axis in sizes}
    while left:
        before = len(left)
        for axis, dim in sorted(left.items(), key=lambda item: len(item[1].symbols)):
            unknown = [symbol for symbol in dim.symbols if symbol not in values]
            if not unknown:
                found = dim.evaluate(values)
                if found != sizes[axis]:
                    why = ", ".join(f"{symbol} = {values[symbol]}" for symbol in dim.symbols)
                    raise ValueError(f"{axis} is {sizes[axis]}, expected {dim}" + (f" = {found} ({why})" if why else ""))
                del left[axis]
            elif len(unknown) == 1 and (line := _affine(dim, unknown[0], values)):
                k, c = line
                if (sizes[axis] - c) % k:
                    raise ValueError(f"{axis} is {sizes[axis]}, expected {dim} with a whole {unknown[0]}")
                values[unknown[0]] = (sizes[axis] - c) // k
                del left[axis]
        if len(left) == before:  # what is left needs a symbol that nothing here determines
            break
    return values


def _check_ask(symbol, size):
    """Raises ValueError when a symbol cannot be of this size. Sizes beyond those seen are fine, beyond declared ones not."""
    def refuse(why):
        raise ValueError(f"{symbol.name} = {size}: {why}")

    if size < 0:
        refuse("a size is not negative")
    step, residue = symbol.multiple_of, symbol.residue
    if step > 1 and (size - residue) % step:
        low = size - (size - residue) % step
        near = [str(x) for x in (low, low + step) if x >= max(residue, 0)]
        plus = f" plus {residue}" if residue else ""
        refuse(f"not a multiple of {step}{plus}; {' or '.join(near)} would fit")
    if symbol.declared:
        if symbol.min is not None and size < symbol.min:
            refuse(f"declared to be at least {symbol.min}")
        if symbol.max is not None and size > symbol.max:
            refuse(f"declared to be at most {symbol.max}")


def _whole(name, size):
    if isinstance(size, bool) or not hasattr(size, "__index__"):
        raise TypeError(f"{name} = {size!r}: a size is a whole number")
    return size.__index__()


def _target(variant, dims, old, asked):
    """{symbol: size} of the call to build, from those of the example. `asked`: sizes of symbols, and of axes such as "x[2]"."""
    symbols = {symbol.name: symbol for symbol in variant.symbols}
    asked = {name: _whole(name, size) for name, size in asked.items()}
    wanted = {name: size for name, size in asked.items() if name in symbols}
    for axis, size in asked.items():
        if axis in symbols:
            continue
        if axis not in dims:
            import difflib
            near = difflib.get_close_matches(axis, [*symbols, *dims], 3, 0.4)
            raise ValueError(f"the contract has no symbol {axis!r}; it has {', '.join(symbols) or 'none'}"
                             + (f" (near: {', '.join(near)})" if near else ""))
        dim = dims[axis]
        free = [symbol for symbol in dim.symbols if symbol not in wanted]
        known = {**old, **wanted}
        solved = _solve({axis: dim}, {axis: size}, {s: v for s, v in known.items() if s != (free[-1] if free else None)})
        wanted.update({s: solved[s] for s in free[-1:] if s in solved})
    for name, size in wanted.items():
        _check_ask(symbols[name], size)
    values = {**old, **wanted}
    missing = [name for name in symbols if name not in values and any(name in dim.symbols for dim in dims.values())]
    if missing:
        raise ValueError(f"{', '.join(missing)}: the example does not tell this size; say {missing[0]}=...")
    return {name: values[name] for name in symbols if name in values}


def _blocks(dim, old, new, old_size, new_size):
    """An axis before and after, as sizes of blocks within blocks that grow each by itself. `old` and `new` are {symbol:
    size}, the batch first: it is the outer one in a product, row b*q + i."""
    symbols, k = [symbol for symbol in new if symbol in dim.symbols], _factor(dim)
    if k is None or (k == 1 and len(symbols) == 1):
        return [old_size], [new_size]
    return [k, *(old[s] for s in symbols)], [k, *(new[s] for s in symbols)]


def _new(tensor, shape):
    """Memory for elements of `tensor`, in one piece, so that a size that is too large fails before anything is filled;
    None: such tensors are not written in place."""
    if hasattr(tensor, "new_empty"):
        import torch
        return tensor.new_empty(shape) if tensor.layout == torch.strided else None
    import numpy
    return numpy.empty_like(tensor, shape=shape, order="C") if isinstance(tensor, numpy.ndarray) else None


def _zeros(tensor, shape):
    if hasattr(tensor, "new_zeros"):
        return tensor.new_zeros(shape)
    import numpy
    return numpy.zeros(shape, tensor.dtype)


def _take(tensor, axis, indices):
    """`indices`: whole numbers, or a tensor of them."""
    if hasattr(tensor, "index_select"):
        import torch
        return tensor.index_select(axis, torch.as_tensor(indices, dtype=torch.long, device=tensor.device))
    import numpy
    return tensor.take(numpy.asarray(indices, numpy.int64), axis)


def _range(tensor, size):
    """0, 1, ... as a tensor of the library of `tensor`."""
    if hasattr(tensor, "index_select"):
        import torch
        return torch.arange(size, device=tensor.device)
    import numpy
    return numpy.arange(size)


def _fill_over_and_over(result, tensor):
    """Along every axis what is there already is doubled: no memory but that of the result."""
    have = [min(pair) for pair in zip(tensor.shape, result.shape)]
    corner = tuple(map(slice, have))
    result[corner] = tensor[corner]
    for axis, size in enumerate(result.shape):
        while have[axis] < size:
            start, more = have[axis], min(have[axis], size - have[axis])
            source, target = list(map(slice, have)), list(map(slice, have))
            source[axis], target[axis] = slice(more), slice(start, start + more)
            result[tuple(target)] = result[tuple(source)]
            have[axis] += more
    return result


def _tiled(tensor, blocks, shape):
    """Rows of `tensor` over and over."""
    old, new = (list(itertools.chain(*side)) for side in zip(*blocks))
    result = _new(tensor, new)
    if result is not None:
        return _fill_over_and_over(result, tensor.reshape(old)).reshape(shape)
    for axis, (before, after) in enumerate(blocks):
        if before != after:
            rows = _range(tensor, math.prod(before)).reshape(before)
            tensor = _take(tensor, axis, _fill_over_and_over(_new(rows, after), rows).reshape(-1))
    return tensor


def _drawn(tensor, shape, generator):
    """Elements of `tensor` at random places, so that they are in its range whatever its dtype."""
    count, total, result = math.prod(tensor.shape), math.prod(shape), _new(tensor, shape)
    if getattr(tensor, "is_meta", False):
        return result
    flat = tensor.reshape(-1)
    if result is None:
        return _take(flat, 0, [generator.randrange(count) for _ in range(total)]).reshape(shape)
    row = result.reshape(-1)
    for start in range(0, total, _PIECE):
        stop = min(start + _PIECE, total)
        row[start:stop] = _take(flat, 0, [generator.randrange(count) for _ in range(start, stop)])
    return result


def _resized(tensor, dims, old, new, shape, generator):
    """A new tensor of `shape`: rows of `tensor` over and over, or drawn from it."""
    track = getattr(tensor, "requires_grad", False)
    if track:
        tensor = tensor.detach()
    blocks = [_blocks(dim, old, new, *sizes) for dim, *sizes in zip(dims, tensor.shape, shape)]
    if 0 in tensor.shape:
        result = _zeros(tensor, shape)  # nothing to repeat
    elif generator is not None and 0 not in shape:
        result = _drawn(tensor, shape, generator)
    elif all(before == after for before, after in blocks):
        result = tensor.clone() if hasattr(tensor, "clone") else tensor.copy()
    else:
        result = _tiled(tensor, blocks, shape)
    return result.requires_grad_() if track else result


def make_call(contract: Contract, example: Any, sizes: Mapping[str, int] | None = None, /, *, forward: Any = None,
              values: str = "tile", seed: int = 0, **symbols: int) -> tuple[tuple, dict[str, Any]]:
    """(args, kwargs) of another size that keeps every relation of the contract.

        make_call(contract, {"input_ids": ids, "attention_mask": mask}, batch=4, seq=128)

    contract   what the model's calls look like
    example    a call that the contract knows: (args, kwargs), a dict of named arguments, or a tuple of arguments
    symbols    sizes in elements by the contract's names; those not given are as in the example
    sizes      the same as a dict, for names that are no identifiers and for axes: {"input_ids[1]": 128}
    forward    the model, or its forward: gives arguments passed by position their names
    values     "tile": rows of the example over and over; "draw": its elements at random (`seed`), so in its range

    Dtypes, devices and containers are kept, tensors are new, anything else is the example's own. An axis `k*batch` is k
    blocks and each grows by itself, so (cond, uncond) stay together; in `batch*q` the batch is the outer one. An axis that
    had no elements is filled with zeros. Sizes beyond those seen are fine, beyond declared ones not.

    Raises ValueError with the symbol's name for a size that the contract rules out (a claimed step, a declared range, a
    relation without a whole solution), for a symbol that it does not have, and for an example that breaks it (for a nested
    tensor tensorspec.Error, which is one); TypeError for a size that is no whole number; what the library of the tensors
    raises for a size that does not fit in memory.
    """
    want(isinstance(contract, Contract), "contract", "a Contract", contract)
    want(sizes is None or isinstance(sizes, Mapping), "sizes", "a dict or None", sizes)
    if values not in ("tile", "draw"):
        raise ValueError(f"values={values!r}: expected 'tile' or 'draw'")
    args, kwargs = as_call(example)
    layout = Layout(forward)
    described = layout.described(args, kwargs)
    variant = variant_of(contract, described, forward)
    shapes = {tensor.name: tensor.shape for tensor in variant.inputs}
    dims = {_axis(name, axis): dim for name, shape in shapes.items() for axis, dim in enumerate(shape)}
    have = {_axis(tensor.name, axis): size for tensor in described for axis, size in enumerate(tensor.shape)}
    try:
        old = _solve(dims, have)
    except ValueError as error:  # a claim that is not sure enough to refuse a call for
        raise ValueError(f"the example does not fit the contract: {error}") from None
    new = _target(variant, dims, old, {**(sizes or {}), **symbols})
    old = {**new, **old}
    targets = {}
    for name, shape in shapes.items():
        targets[name] = []
        for axis, dim in enumerate(shape):
            size = dim.evaluate(new)
            if size is None or size < 0:
                said = ", ".join(f"{symbol} = {new[symbol]}" for symbol in dim.symbols)
                raise ValueError(f"{said}: {_axis(name, axis)} = {dim} would be {'no whole number' if size is None else size}")
            targets[name].append(size)
    generator = None
    if values == "draw":
        import random
        generator = random.Random(seed)
    return layout.transform(args, kwargs, lambda path, tensor: _resized(tensor, shapes[path], old, new, targets[path],
                                                                        generator))


class _Exported:
    """Dims of one variant as torch.export says them."""

    def __init__(self, variant):
        from torch.export import Dim
        self._make, self._roots = Dim, {}
        self._symbols = {symbol.name: symbol for symbol in variant.symbols}
        self._shapes = {tensor.name: tensor.shape for tensor in variant.inputs}

    def _root(self, name):
        """(root, step, residue): the symbol is step*root + residue."""
        if name not in self._roots:
            symbol = self._symbols[name]
            step, residue = symbol.multiple_of, symbol.residue
            low = None if symbol.min is None else -((residue - symbol.min) // step)
            high = None if symbol.max is None else (symbol.max - residue) // step
            if high is not None and high == (low or 0):
                self._roots[name] = None
            else:
                self._roots[name] = self._make(name if step == 1 else f"_{name}", min=low, max=high), step, residue
        return self._roots[name]

    def _range(self, dim):
        """(min, max) of a dim from the ends of its symbols; None where one is not known."""
        ends = [(self._symbols[name].min, self._symbols[name].max) for name in dim.symbols]
        if any(low is None for low, _ in ends):
            return None, None
        if any(high is None for _, high in ends):
            return dim.evaluate({name: low for name, (low, _) in zip(dim.symbols, ends)}), None
        corners = [dim.evaluate(dict(zip(dim.symbols, corner))) for corner in itertools.product(*ends)]
        return (None, None) if None in corners else (max(min(corners), 0), max(corners))

    def dim(self, dim):
        """None: static."""
        names = dim.symbols
        if not names:
            return None
        if len(names) == 1:
            line = _affine(dim, names[0], {})
            root = self._root(names[0])
            if root is None:
                return None
            if line and line[0] > 0:
                base, step, residue = root
                k, c = line[0] * step, line[0] * residue + line[1]
                scaled = base if k == 1 else k * base
                return scaled if c == 0 else scaled + c
        low, high = self._range(dim)
        return self._make.DYNAMIC if low is None and high is None else self._make.DYNAMIC(min=low, max=high)

    def shape(self, path):
        dims = {axis: self.dim(dim) for axis, dim in enumerate(self._shapes[path])}
        return {axis: dim for axis, dim in dims.items() if dim is not None} or None


def _of_structure(value, path, paths, shape):
    """The dynamic shapes of one argument, nested as torch.export flattens it."""
    from torch.utils import _pytree
    kind = kind_of(value)
    if kind is TENSOR:
        return shape(paths[id(value)]) if id(value) in paths else None
    cls = type(value)
    if isinstance(value, tuple) and hasattr(cls, "_make"):
        return cls._make(_of_structure(child, path, paths, shape) for child in value)
    if cls in (list, tuple):
        return cls(_of_structure(child, path, paths, shape) for child in value)
    if cls is dict:
        return {key: _of_structure(child, path, paths, shape) for key, child in value.items()}
    if kind is OTHER:
        return None
    node = _pytree.SUPPORTED_NODES.get(cls)
    if node is None:
        raise TypeError(f"{path} is a {cls.__name__}, which torch.export does not know: register it with "
                        "torch.export.register_dataclass or torch.utils._pytree.register_pytree_node")
    children = [_of_structure(child, path, paths, shape) for child in node.flatten_fn(value)[0]]
    if cls not in _pytree.BUILTIN_TYPES:
        return children
    if not isinstance(value, dict):
        return cls(children)
    new = copy.copy(value)
    new.update(zip(value, children))
    return new


def dynamic_shapes(contract: Contract, example: Any = None, forward: Any = None,
                   variant: int | None = None) -> dict[str, Any] | tuple:
    """What `torch.export.export(model, args, kwargs, dynamic_shapes=...)` wants, from a contract.

        args, kwargs = make_call(contract, example, batch=2, seq=7, forward=model)
        torch.export.export(model, args, kwargs, dynamic_shapes=dynamic_shapes(contract, (args, kwargs), model))

    A symbol is a `Dim` of its name and range, `k*s + c` is derived from it, and a step is one too (`8*_h`). What torch
    cannot say (`past+seq`, `batch*q`, a rounding) is `Dim.DYNAMIC` with its range: torch finds the relation itself, or
    refuses, and never freezes the size. Static axes are left out, arguments without tensors are None.

    example   a call, as for `make_call`: its nesting (caches, dataclasses, arguments that are no tensors) is what torch
              compares. Without one, nesting is made of the names alone: mappings and attributes are dicts, sequences
              lists, and arguments without tensors are not known
    forward   the model, which names arguments passed by position
    variant   which variant, when there is no example and the contract has several

    torch takes an axis for fixed whose size in the example is 0 or 1, so export with sizes of at least 2; this warns.
    Raises ValueError for an example that breaks the contract, TypeError for a container that torch.export does not know.
    """
    want(isinstance(contract, Contract), "contract", "a Contract", contract)
    if variant is not None:
        want(hasattr(variant, "__index__"), "variant", "a whole number or None", variant)
        if not 0 <= variant < len(contract.variants):
            raise ValueError(f"variant: {variant}, not one of the {len(contract.variants)} that the contract has, from 0")
    if example is None:
        if variant is None and len(contract.variants) != 1:
            raise ValueError(f"the contract has {len(contract.variants)} variants: give an example, or say variant=0")
        chosen = contract.variants[variant or 0]
        exported = _Exported(chosen)
        return nested({tensor.name: exported.shape(tensor.name) for tensor in chosen.inputs})
    args, kwargs = as_call(example)
    layout = Layout(forward)
    described = layout.described(args, kwargs)
    exported = _Exported(variant_of(contract, described, forward))
    fixed = [_axis(tensor.name, axis) for tensor in described for axis in exported.shape(tensor.name) or ()
             if tensor.shape[axis] < 2]
    if fixed:
        warnings.warn(f"torch.export takes an axis for fixed that is 0 or 1 in the example: {', '.join(fixed)}", stacklevel=2)
    paths = {id(tensor): path for path, tensor in reversed(layout.tensors(args, kwargs))}
    if forward is None and args:
        if kwargs:
            raise ValueError("arguments by position and by name: say forward=model, so that each has its name")
        return tuple(_of_structure(value, layout.position(i), paths, exported.shape) for i, value in enumerate(args))
    bound = kwargs
    if forward is not None:
        import inspect
        bound = inspect.signature(getattr(forward, "forward", forward)).bind(*args, **kwargs).arguments
    return {name: _of_structure(value, name, paths, exported.shape) for name, value in bound.items()}
