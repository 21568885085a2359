# SPDX-License-Identifier: Apache-2.0
"""Tensors in the arguments of a call, each with a path, and the way back.

    input_ids    past_key_values.layers[0].keys    args[1]    kwargs["scale"]    output["logits"][0]

An argument is called by its parameter's name, however it was passed: `f(x, y=y)` and `f(x=x, y=y)` have one layout.
What `*args` and `**kwargs` of a signature take are `args[0]` and `kwargs["name"]`. Inside: `[0]` of a sequence, `["key"]`
of a mapping, `.name` of a dataclass, of a `transformers` cache, and of a registered type.

A tensor is whatever has a `shape` and a `dtype`: torch, NumPy, JAX. Anything else that is no container of tensors
(numbers, text, None, lists of numbers, modules, files) is no part of a call's shapes and is left as it is.

Nothing here imports torch or NumPy, and what is slow to import is imported when it is needed: the command imports this too.
"""
from __future__ import annotations

import collections.abc
import copy
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tensorspec._core import TensorInfo
from tensorspec.errors import want

__all__ = ["Layout", "register_container", "replace_tensors", "tensors_of"]

_MAX_DEPTH = 64
_MAX_PLANS = 256


class Kind:
    """How one type of container is taken apart and put together."""

    __slots__ = ("children", "rebuild")

    def __init__(self, children, rebuild):
        self.children = children  # value -> [(step, child)]
        self.rebuild = rebuild  # (value, [child]) -> a new value of that type


TENSOR = Kind(None, None)
OTHER = Kind(None, None)
_registered = {}  # by type, what the user registered
_kinds = {}  # by type, what was found out
_pytree_size = 0


def register_container(cls: type, children: Callable[[Any], Iterable[tuple[str, Any]]],
                       rebuild: Callable[[Any, list], Any]) -> None:
    """Makes instances of `cls`, and of its subclasses, containers of tensors.

    children(value) gives `[(name, child), ...]`; a child that is a tensor called `left` has the path `x.left`.
    rebuild(value, children) gives a new value that holds these children instead, in the same order; it must not change
    `value`. Types registered with `torch.utils._pytree` are known without this.

        tensorspec.register_container(Pair, lambda p: [("a", p.a), ("b", p.b)], lambda p, ab: Pair(*ab))

    Raises TypeError when `cls` is no class, or one of the others no function.
    """
    if not isinstance(cls, type):
        raise TypeError(f"register_container: {cls!r} is not a class")
    want(callable(children), "children", "a function", children)
    want(callable(rebuild), "rebuild", "a function", rebuild)
    _registered[cls] = Kind(lambda value: [("." + str(name), child) for name, child in children(value)], rebuild)
    _kinds.clear()


def _key(key):
    return f"[{json.dumps(key, ensure_ascii=False)}]" if isinstance(key, str) else f"[{key!r}]"


def _numbered(values):
    return [(f"[{i}]", value) for i, value in enumerate(values)]


def _rebuild_sequence(value, children):
    cls = type(value)
    if cls in (list, tuple):
        return cls(children)
    if hasattr(cls, "_make"):
        return cls._make(children)
    if isinstance(value, list):
        new = copy.copy(value)
        new[:] = children
        return new
    return cls(children)  # torch.return_types and other tuples made of one iterable


def _rebuild_mapping(value, children):
    pairs = zip(value, children)
    if type(value) is dict or not isinstance(value, collections.abc.MutableMapping):
        return type(value)(dict(pairs))
    new = copy.copy(value)
    for key, child in list(pairs):
        new[key] = child
    return new


def _with_attributes(value, names, children):
    new = copy.copy(value)
    for name, child in zip(names, children):
        object.__setattr__(new, name, child)
    return new


def _public_attributes(value):
    return [name for name in vars(value) if name[0] != "_"]


def _of_dataclass(cls):
    import dataclasses
    names = [field.name for field in dataclasses.fields(cls)]
    return Kind(lambda value: [("." + name, getattr(value, name)) for name in names if hasattr(value, name)],
                lambda value, children: _with_attributes(value, [n for n in names if hasattr(value, n)], children))


def _step_of_pytree(key):
    """The step of a torch.utils._pytree key: MappingKey, SequenceKey, GetAttrKey."""
    if hasattr(key, "idx"):
        return f"[{key.idx}]"
    if hasattr(key, "name"):
        return f".{key.name}"
    return _key(getattr(key, "key", str(key)))


def _of_pytree(node):
    def children(value):
        if node.flatten_with_keys_fn is not None:
            return [(_step_of_pytree(key), child) for key, child in node.flatten_with_keys_fn(value)[0]]
        return _numbered(node.flatten_fn(value)[0])

    return Kind(children, lambda value, new: node.unflatten_fn(new, node.flatten_fn(value)[1]))


_CACHE = Kind(lambda value: [("." + name, child) for name, child in vars(value).items() if name[0] != "_"],
              lambda value, children: _with_attributes(value, _public_attributes(value), children))
_SEQUENCE = Kind(_numbered, _rebuild_sequence)
_MAPPING = Kind(lambda value: [(_key(key), child) for key, child in value.items()], _rebuild_mapping)
_SCALARS = (bool, int, float, complex, str, bytes, bytearray, type(None), type(Ellipsis), slice, range)


def _is_scalar(cls):
    return issubclass(cls, _SCALARS) or any(b.__module__ == "numpy" and b.__name__ == "generic" for b in cls.__mro__)


def _find_kind(cls):
    for base in cls.__mro__:
        if base in _registered:
            return _registered[base]
    if _is_scalar(cls):
        return OTHER
    if hasattr(cls, "shape") and hasattr(cls, "dtype"):
        return TENSOR
    if issubclass(cls, (list, tuple)):
        return _SEQUENCE
    if issubclass(cls, collections.abc.Mapping):
        return _MAPPING
    if any(base.__module__ == "transformers.cache_utils" for base in cls.__mro__):
        return _CACHE
    if any(base.__module__ == "torch.nn.modules.module" for base in cls.__mro__):
        return OTHER
    if hasattr(cls, "__dataclass_fields__"):
        return _of_dataclass(cls)
    pytree = sys.modules.get("torch.utils._pytree")
    node = pytree.SUPPORTED_NODES.get(cls) if pytree else None
    return _of_pytree(node) if node else OTHER


def kind_of(value):
    cls = type(value)
    return _kinds.get(cls) or _kinds.setdefault(cls, _find_kind(cls))


def _forget_what_torch_learned():
    """Drops what is known of types when torch.utils._pytree has got a new one since."""
    global _pytree_size
    pytree = sys.modules.get("torch.utils._pytree")
    size = len(pytree.SUPPORTED_NODES) if pytree else 0
    if size != _pytree_size:
        _pytree_size = size
        _kinds.clear()


def _too_deep(path):
    return ValueError(f"{path[:80]}...: containers nested more than {_MAX_DEPTH} deep, or one that holds itself")


def walk(value, path, found, depth=0):
    """Appends (path, tensor) of every tensor in `value` to `found`."""
    kind = kind_of(value)
    if kind is TENSOR:
        found.append((path, value))
    elif kind is not OTHER:
        if depth == _MAX_DEPTH:
            raise _too_deep(path)
        depth += 1
        for step, child in kind.children(value):
            kind = _kinds.get(type(child))
            if kind is TENSOR:
                found.append((path + step, child))
            elif kind is not OTHER:
                walk(child, path + step, found, depth)


def strangers(value, path, depth=0):
    """(path, object) of what may hold tensors that are not looked for: of classes that are no containers."""
    kind = kind_of(value)
    if kind is OTHER and not _is_scalar(type(value)) and not callable(value):
        yield path, value
    elif kind not in (OTHER, TENSOR) and depth < _MAX_DEPTH:
        for step, child in kind.children(value):
            yield from strangers(child, path + step, depth + 1)


def transform(value, path, function, depth=0):
    """`value` with function(path, tensor) in place of every tensor. Containers are new, everything else is the same."""
    kind = kind_of(value)
    if kind is TENSOR:
        return function(path, value)
    if kind is OTHER:
        return value
    if depth == _MAX_DEPTH:
        raise _too_deep(path)
    return kind.rebuild(value, [transform(child, path + step, function, depth + 1) for step, child in kind.children(value)])


def _parameters(function):
    """The parameters of a function or of a module's forward; none where they cannot be known."""
    import inspect
    try:
        parameters = list(inspect.signature(getattr(function, "forward", function)).parameters.values())
    except (TypeError, ValueError):  # None, or written in C
        return []
    if all(parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) for parameter in parameters):
        for wrapped in ("module", "_orig_mod"):  # DataParallel and its like; torch.compile
            if hasattr(getattr(function, wrapped, None), "forward"):
                return _parameters(getattr(function, wrapped))
    return parameters


class Layout:
    """How the arguments of one callable are called.

    Made of a function, a module (its `forward` counts, and of a compiled or DataParallel module that of what it wraps), or
    None: then positional arguments are `args[0]`, `args[1]`, and named ones go by their names. Safe under threads.
    """

    def __init__(self, function=None):
        self._positional, self._named, self._rest, self._more = [], {}, "args", None
        self._plans = {}  # by how arguments were passed, how they are called: callers have few ways
        for order, parameter in enumerate(_parameters(function)):
            if parameter.kind is parameter.VAR_POSITIONAL:
                self._rest = parameter.name
            elif parameter.kind is parameter.VAR_KEYWORD:
                self._more = parameter.name
            else:
                if parameter.kind is not parameter.KEYWORD_ONLY:
                    self._positional.append(parameter.name)
                if parameter.kind is not parameter.POSITIONAL_ONLY:
                    self._named[parameter.name] = order

    def position(self, index):
        """The name of positional argument `index`."""
        names = self._positional
        return names[index] if index < len(names) else f"{self._rest}[{index - len(names)}]"

    def keyword(self, name):
        """The name of an argument passed by keyword."""
        return name if name in self._named or self._more is None else f"{self._more}{_key(name)}"

    def arguments(self, args, kwargs):
        """[(name, value)] in the order of the signature."""
        way = (len(args), *kwargs)
        plan = self._plans.get(way)
        if plan is None:
            order = sorted(kwargs, key=lambda name: self._named.get(name, len(self._named)))
            plan = [self.position(i) for i in range(len(args))], [(self.keyword(name), name) for name in order]
            if len(self._plans) < _MAX_PLANS:
                self._plans[way] = plan
        positions, keywords = plan
        return [*zip(positions, args), *[(name, kwargs[key]) for name, key in keywords]]

    def tensors(self, args, kwargs):
        """[(path, tensor)] in the order of the signature. Raises ValueError for containers that hold themselves."""
        _forget_what_torch_learned()
        found = []
        for name, value in self.arguments(args, kwargs):
            walk(value, name, found)
        return found

    def described(self, args, kwargs):
        """[TensorInfo] in the order of the signature. Raises tensorspec.Error for a tensor that has no one shape."""
        return [TensorInfo.of(path, tensor) for path, tensor in self.tensors(args, kwargs)]

    def transform(self, args, kwargs, function):
        """(args, kwargs) with function(path, tensor) in place of every tensor."""
        return (tuple(transform(value, self.position(i), function) for i, value in enumerate(args)),
                {name: transform(value, self.keyword(name), function) for name, value in kwargs.items()})


def tensors_of(args: Sequence = (), kwargs: Mapping[str, Any] | None = None, forward: Any = None) -> dict[str, Any]:
    """{path: tensor} of a call's arguments, in the order of the signature of `forward` (a function or a module).

        tensors_of((x,), {"cache": cache}, model)   # {"input_ids": .., "cache.layers[0].keys": .., ..}
    """
    return dict(Layout(forward).tensors(*_by_hand(args, kwargs)))


def _by_hand(args, kwargs):
    """(args, kwargs) as a user gave them. Raises TypeError: a tensor is a sequence too, but not of arguments."""
    want(isinstance(args, (tuple, list)), "args", "a tuple of arguments", args)
    want(kwargs is None or isinstance(kwargs, Mapping), "kwargs", "a dict by name or None", kwargs)
    return args, kwargs or {}


def what_names_need(paths, forward):
    """What to say of a call that does not fit: without a signature its arguments by position have no names."""
    unnamed = forward is None and any(path.startswith("args[") for path in paths)
    return "arguments by position get their names from forward=model" if unnamed else ""


def replace_tensors(args: Sequence, kwargs: Mapping[str, Any] | None, tensors: Mapping[str, Any],
                    forward: Any = None) -> tuple[tuple, dict[str, Any]]:
    """(args, kwargs) with other tensors at some paths.

    Containers are built anew (tuples, namedtuples, frozen dataclasses and caches too), the arguments given are not
    changed, and what is not in `tensors` ({path: tensor}) is the same object as before. Raises KeyError for a path that
    the call does not have.
    """
    args, kwargs = _by_hand(args, kwargs)
    want(isinstance(tensors, Mapping), "tensors", "a dict by path", tensors)
    left = dict(tensors)
    result = Layout(forward).transform(args, kwargs, lambda path, tensor: left.pop(path, tensor))
    if left:
        have = ", ".join(tensors_of(args, kwargs, forward)) or "none"
        raise KeyError(f"no tensor at {', '.join(left)}; there are: {have}")
    return result


def described_outputs(result):
    """[TensorInfo] of what a function gave: "output", "output[0]", 'output["logits"]'."""
    found = []
    walk(result, "output", found)
    return [TensorInfo.of(path, tensor) for path, tensor in found]


_STEP = re.compile(r'\.([^.\[]+)|\[("(?:[^"\\]|\\.)*"|[^\]]*)\]')


def nested(by_path):
    """{path: value} as the nesting that the paths spell: mappings and attributes are dicts, sequences lists."""
    tree = _Inside()
    for path, value in by_path.items():
        root = re.match(r"[^.\[]*", path)[0]
        keys = [root]
        for attribute, key in _STEP.findall(path[len(root):]):
            keys.append(attribute or (json.loads(key) if key.startswith('"') else int(key) if key.isdigit() else key))
        node = tree
        for key in keys[:-1]:
            node = node.setdefault(key, _Inside())
        node[keys[-1]] = value
    return {key: _listed(value) for key, value in tree.items()}


class _Inside(dict):
    """A node of the nesting, apart from values that are dicts."""


def _listed(tree):
    if not isinstance(tree, _Inside):
        return tree
    children = {key: _listed(value) for key, value in tree.items()}
    return [children[i] for i in range(len(children))] if children and set(children) == set(range(len(children))) else children
