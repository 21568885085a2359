# SPDX-License-Identifier: Apache-2.0
import collections
import dataclasses
import random
import subprocess
import sys
import types

import numpy
import pytest
import torch
import transformers

import tensorspec
from tensorspec.paths import Layout

Pair = collections.namedtuple("Pair", "left right")


@dataclasses.dataclass(frozen=True)
class Batch:
    ids: object
    extra: dict
    _note: str = "n"


class Box:
    def __init__(self, inside, label):
        self.inside, self.label = inside, label


class Node(Box):
    """Known to torch.utils._pytree alone."""


torch.utils._pytree.register_pytree_node(Node, lambda n: ([n.inside], n.label), lambda children, label: Node(children[0], label))


def t(*shape):
    return torch.zeros(shape)


def forward(x, y=None, *rest, flag=False, **more):
    pass


CASES = [
    ("named whatever way they are passed", (t(1), t(2)), {}, ["x", "y"]),
    ("by keyword", (), {"y": t(2), "x": t(1)}, ["x", "y"]),
    ("half and half", (t(1),), {"y": t(2)}, ["x", "y"]),
    ("*rest and **more", (t(1), t(2), t(3), t(4)), {"bias": t(5)}, ["x", "y", "rest[0]", "rest[1]", 'more["bias"]']),
    ("sequences", ([t(1), (t(2), [t(3)])],), {}, ["x[0]", "x[1][0]", "x[1][1][0]"]),
    ("mappings", ({"a b": t(1), 7: t(2), "q\"": t(3)},), {}, ['x["a b"]', "x[7]", 'x["q\\""]']),
    ("namedtuple", (Pair(t(1), [t(2)]),), {}, ["x[0]", "x[1][0]"]),
    ("dataclass", (Batch(t(1), {"k": t(2)}),), {}, ["x.ids", 'x.extra["k"]']),
    ("NumPy, scalars and text", (numpy.zeros((2, 3)), numpy.float32(1)), {"flag": "text"}, ["x"]),
    ("registered with torch", (Node([t(1)], "l"),), {}, ["x[0][0]"]),
    ("numbers, None, modules and files are no tensors", ([1, 2.0, None, torch.nn.ReLU(), sys.stdout],), {}, []),
    ("no tensor at all", (), {}, []),
]


@pytest.mark.parametrize("what, args, kwargs, names", CASES, ids=[c[0] for c in CASES])
def test_names_and_the_way_back(what, args, kwargs, names):
    found = tensorspec.tensors_of(args, kwargs, forward)
    assert list(found) == names
    new = {name: torch.ones(1) for name in found}
    args2, kwargs2 = tensorspec.replace_tensors(args, kwargs, new, forward)
    again = tensorspec.tensors_of(args2, kwargs2, forward)
    assert all(again[name] is new[name] for name in names) and list(again) == names
    assert all(tensorspec.tensors_of(args, kwargs, forward)[name] is found[name] for name in names)  # unchanged


def test_containers_keep_their_types():
    args = ((t(1),), [t(2)], Pair(t(3), 4), Batch(t(5), {"k": 1}, "kept"), collections.OrderedDict(a=t(6)), Node(t(7), "label"),
            torch.Size([1, 2]))
    new, _ = tensorspec.replace_tensors(args, {}, {"args[0][0]": t(9)})
    assert [type(v) for v in new] == [type(v) for v in args]
    assert new[0][0].shape == (9,) and new[1][0] is args[1][0]
    assert new[3]._note == "kept" and new[3].ids is args[3].ids and new[5].label == "label" and new[6] == (1, 2)


class Rows(list):
    pass


def test_less_usual_containers():
    rows = Rows([t(1)])
    rows.note = "kept"
    found = torch.topk(t(5), 2)
    encoded = transformers.BatchEncoding({"ids": t(6)}, n_sequences=1)
    args = (rows, found, types.MappingProxyType({"k": t(4)}), collections.defaultdict(list, d=t(3)), encoded, collections.UserDict(u=t(2)))
    new, _ = tensorspec.replace_tensors(args, {}, {name: t(9) for name in tensorspec.tensors_of(args)})
    assert [type(v) for v in new] == [type(v) for v in args] and {x.shape for x in tensorspec.tensors_of(new).values()} == {(9,)}
    assert list(tensorspec.tensors_of(args)) == ["args[0][0]", "args[1][0]", "args[1][1]", 'args[2]["k"]', 'args[3]["d"]', 'args[4]["ids"]',
                                                 'args[5]["u"]']
    assert new[0].note == "kept" and new[3].default_factory is list and new[4].n_sequences == 1
    assert encoded["ids"].shape == (6,) and rows[0].shape == (1,)  # unchanged


def test_caches():
    cache = transformers.DynamicCache()
    cache.update(t(2, 4, 5, 8), t(2, 4, 5, 8), 0)
    pair = transformers.EncoderDecoderCache(cache, transformers.DynamicCache())
    assert list(tensorspec.tensors_of((cache,), {}, forward)) == ["x.layers[0].keys", "x.layers[0].values"]
    names = list(tensorspec.tensors_of((pair,), {}, forward))
    assert names == ["x.self_attention_cache.layers[0].keys", "x.self_attention_cache.layers[0].values"]
    (new,), _ = tensorspec.replace_tensors((cache,), {}, {"x.layers[0].keys": t(2, 4, 6, 8), "x.layers[0].values": t(2, 4, 6, 8)}, forward)
    assert type(new) is transformers.DynamicCache and new.get_seq_length() == 6
    new.update(t(2, 4, 1, 8), t(2, 4, 1, 8), 0)
    assert new.layers[0].keys.shape == (2, 4, 7, 8)
    assert cache.layers[0].keys.shape == (2, 4, 5, 8)  # another object


def test_types_registered_by_the_user():
    class Special(Box):
        pass

    class Other:
        __init__ = Box.__init__

    assert tensorspec.tensors_of((Special(t(1), "l"),), {}) == {}
    tensorspec.register_container(Box, lambda box: [("inside", box.inside)], lambda box, new: type(box)(new[0], box.label))
    assert list(tensorspec.tensors_of((Special([t(1)], "l"),), {})) == ["args[0].inside[0]"]
    (new,), _ = tensorspec.replace_tensors((Special([t(1)], "l"),), {}, {"args[0].inside[0]": t(2)})
    assert type(new) is Special and new.inside[0].shape == (2,) and new.label == "l"
    for arguments, said in ((("Box", None, None), "not a class"), ((Other, None, None), "^children: a function, not NoneType$"),
                            ((Other, list, 3), "^rebuild: a function, not int$")):
        with pytest.raises(TypeError, match=said):
            tensorspec.register_container(*arguments)
    assert tensorspec.tensors_of((Other(t(1), "l"),), {}) == {}  # as before


def random_tree(draw, depth, tensors):
    kind = draw.randrange(8 if depth else 2)
    if kind < 2:
        leaf = t(len(tensors)) if kind else draw.choice([None, 3, "text", 2.5])
        tensors.extend([leaf] if kind else [])
        return leaf
    children = [random_tree(draw, depth - 1, tensors) for _ in range(2)]
    return [lambda: children, lambda: tuple(children), lambda: Pair(*children), lambda: Batch(children[0], {"k": children[1]}),
            lambda: collections.OrderedDict(zip(draw.sample(["a", "a.b", 'q"', "[0]", "x\ny", "\u00e9", ""], 2), children)),
            lambda: {draw.randrange(9): children[0], "s": children[1]}][kind - 2]()


@pytest.mark.parametrize("seed", range(40))
def test_any_nesting_is_taken_apart_and_put_together(seed):
    draw, tensors = random.Random(seed), []
    args = tuple(random_tree(draw, 4, tensors) for _ in range(2))
    found = tensorspec.tensors_of(args, {"z": t(99)}, forward)
    assert [id(x) for x in found.values()] == [id(x) for x in tensors] + [id(found['more["z"]'])]  # each once, in order
    new = {name: torch.ones(2) for name in found}
    again, more = tensorspec.replace_tensors(args, {"z": t(99)}, new, forward)
    assert tensorspec.tensors_of(again, more, forward) == new
    assert tensorspec.Call({name: found[name] for name in found}).inputs[-1].name == 'more["z"]'
    back, _ = tensorspec.replace_tensors(again, more, found, forward)
    assert repr(back) == repr(args)


def test_bad_input():
    loop = [t(1)]
    loop.append(loop)
    with pytest.raises(ValueError, match=r"args\[0\].*64 deep"):
        tensorspec.tensors_of((loop,))
    with pytest.raises(KeyError, match=r"no tensor at z; there are: x"):
        tensorspec.replace_tensors((t(1),), {}, {"z": t(1)}, forward)
    for layout in (torch.strided, torch.jagged):
        with pytest.raises(tensorspec.Error, match="x: .*a nested tensor has no one shape"):
            described(torch.nested.nested_tensor([t(2), t(3)], layout=layout))


@pytest.mark.parametrize("args, kwargs, said", [
    (t(2, 3), None, "args: a tuple of arguments, not Tensor"), (numpy.zeros(2), {}, "args: a tuple of arguments, not ndarray"),
    ({"x": t(1)}, None, "args: a tuple of arguments, not dict"), ((t(1),), t(1), "kwargs: a dict by name or None, not Tensor")])
def test_arguments_that_are_no_tuple_or_dict(args, kwargs, said):
    with pytest.raises(TypeError, match=f"^{said}$"):
        tensorspec.tensors_of(args, kwargs)
    with pytest.raises(TypeError, match=f"^{said}$"):
        tensorspec.replace_tensors(args, kwargs, {})
    assert list(tensorspec.tensors_of([t(1)])) == ["args[0]"]
    with pytest.raises(TypeError, match="^tensors: a dict by path, not list$"):
        tensorspec.replace_tensors((), {}, [t(1)])


def described(tensor):
    info, = Layout(forward).described((tensor,), {})
    return info.name, info.dtype, info.shape


def test_descriptions_touch_no_data():
    assert described(torch.empty(2, 3, device="meta", dtype=torch.bfloat16)) == ("x", "bfloat16", (2, 3))
    assert described(numpy.zeros((2, 0), ">u2")) == ("x", "uint16", (2, 0))
    assert described(torch.eye(3).to_sparse()) == ("x", "float32", (3, 3))
    seen = []
    torch.vmap(lambda x: seen.append(described(x)) or x)(torch.zeros(4, 5))
    assert seen == [("x", "float32", (5,))]


def test_importing_needs_neither_torch_nor_numpy():
    code = "import tensorspec, sys; assert not {'torch', 'numpy', 'transformers'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr == ""
