# SPDX-License-Identifier: Apache-2.0
import collections
import json
import math
import random
import subprocess
import sys
import textwrap
import tracemalloc

import numpy
import pytest
import torch
import transformers

import tensorspec

Pair = collections.namedtuple("Pair", "ids mask")


def contract(symbols=(), **inputs):
    """A contract written by hand: tensors by name, shapes as text; a name may stand for a path ("a_b" stays)."""
    tensors = [{"name": name, "dtype": dtype, "shape": [int(d) if d.isdigit() else d for d in shape.split(",") if d]}
               for name, (dtype, shape) in inputs.items()]
    return tensorspec.Contract.from_json(json.dumps(
        {"format": "tensorspec-contract", "version": 1, "variants": [{"inputs": tensors, "symbols": list(symbols)}]}))


IDS = contract(ids=("int64", "batch,seq"), mask=("int64", "batch,seq"))


def example():
    return {"ids": torch.arange(6).reshape(2, 3), "mask": torch.ones(2, 3, dtype=torch.long)}


def test_rows_are_repeated():
    args, kwargs = tensorspec.make_call(IDS, example(), batch=5, seq=4)
    assert args == () and kwargs["ids"].tolist() == [[0, 1, 2, 0], [3, 4, 5, 3]] * 2 + [[0, 1, 2, 0]]
    assert kwargs["mask"].shape == (5, 4) and kwargs["ids"].dtype == torch.int64
    smaller = tensorspec.make_call(IDS, example(), batch=1, seq=2)[1]
    assert smaller["ids"].tolist() == [[0, 1]]
    same = tensorspec.make_call(IDS, example())[1]
    assert same["ids"].tolist() == example()["ids"].tolist()


def test_halves_stay_together():
    c = contract(latent=("float32", "2*batch,4"), prompt=("float32", "batch,4"))
    rows = torch.tensor([0.0, 1.0, 10.0, 11.0])  # two unconditional, two conditional
    made = tensorspec.make_call(c, {"latent": rows[:, None].repeat(1, 4), "prompt": rows[:2, None].repeat(1, 4)}, batch=3)[1]
    assert made["latent"][:, 0].tolist() == [0, 1, 0, 10, 11, 10]
    assert tensorspec.make_call(c, made, batch=1)[1]["latent"][:, 0].tolist() == [0, 10]


def test_products_keep_the_batch_outside():
    c = contract(q=("float32", "batch,prompts"), image=("float32", "batch*prompts"))
    made = tensorspec.make_call(c, {"q": torch.zeros(2, 3), "image": torch.tensor([0.0, 1, 2, 10, 11, 12])}, batch=3, prompts=2)[1]
    assert made["image"].tolist() == [0, 1, 10, 11, 0, 1]


def test_every_relation_holds():
    c = contract([{"name": "h", "multiple_of": 8}], ids=("int64", "batch,seq"), mask=("float32", "batch,1,seq,past+seq"), key=("float32", "batch,4,past,8"),
                 image=("float32", "batch,h,w"), patches=("float32", "batch,floor(h/8)*floor((w+3)/8)+1"))
    shapes = dict(ids=(1, 2), mask=(1, 1, 2, 7), key=(1, 4, 5, 8), image=(1, 16, 21), patches=(1, 7))
    call = {name: torch.zeros(shape, dtype=torch.int64 if name == "ids" else torch.float32) for name, shape in shapes.items()}
    made = tensorspec.make_call(c, call, batch=3, seq=6, past=0, h=24, w=37)[1]
    assert {name: tuple(tensor.shape) for name, tensor in made.items()} == dict(
        ids=(3, 6), mask=(3, 1, 6, 6), key=(3, 4, 0, 8), image=(3, 24, 37), patches=(3, 16))
    assert tensorspec.Checker(c).check(made)
    again = tensorspec.make_call(c, made, past=4)[1]  # from no elements: zeros
    assert again["key"].shape == (3, 4, 4, 8) and not again["key"].any()


def test_a_renamed_batch_is_the_outer_one_too():
    learner = tensorspec.Learner()
    for b, q in ((1, 2), (2, 3), (3, 5), (4, 7), (5, 4)):
        learner.observe({"q": ("float32", (b, q)), "image": ("float32", (b * q, 1))}, batch_size=b)
    c = learner.contract(names={"batch": "z", "s0": "a"})
    made = tensorspec.make_call(c, {"q": torch.zeros(2, 3), "image": torch.tensor([0.0, 1, 2, 10, 11, 12])[:, None]}, z=2, a=4)[1]
    assert made["image"][:, 0].tolist() == [0, 1, 2, 0, 10, 11, 12, 10]


def test_no_elements_at_all():
    c = contract(key=("float32", "batch,past"), ids=("float8_e4m3fn", "batch,seq"))
    call = {"key": torch.zeros(2, 0), "ids": torch.ones(2, 3).to(torch.float8_e4m3fn)}
    made = tensorspec.make_call(c, call, batch=0, past=4, seq=5)[1]
    assert made["key"].shape == (0, 4) and made["ids"].shape == (0, 5)
    assert tensorspec.make_call(c, call, batch=3)[1]["ids"].dtype == torch.float8_e4m3fn


def test_sizes_of_axes():
    c = contract(x=("float32", "2*half+1,w"), y=("float32", "half"))
    call = {"x": torch.zeros(5, 2), "y": torch.zeros(2)}
    made = tensorspec.make_call(c, call, {"x[0]": 9, "w": 3})[1]
    assert made["x"].shape == (9, 3) and made["y"].shape == (4,)
    with pytest.raises(ValueError, match=r"x\[0\] is 8, expected 2\*half\+1 with a whole half"):
        tensorspec.make_call(c, call, {"x[0]": 8})
    with pytest.raises(ValueError, match=r"half = 3.*x\[0\]|x\[0\] is 9.*half = 3"):
        tensorspec.make_call(c, call, {"x[0]": 9}, half=3)


REFUSED = [
    (dict(lenght=4), ValueError, "no symbol 'lenght'; it has batch, h, n"),
    (dict(h=20), ValueError, "h = 20: not a multiple of 8; 16 or 24 would fit"),
    (dict(n=99), ValueError, "n = 99: declared to be at most 10"),
    (dict(n=1), ValueError, "n = 1: declared to be at least 2"),
    (dict(batch=-1), ValueError, "batch = -1: a size is not negative"),
    (dict(batch=2.0), TypeError, "batch = 2.0: a size is a whole number"),
    (dict(batch=True), TypeError, "batch = True: a size is a whole number"),
    (dict(batch=3), ValueError, r"batch = 3.*z\[0\] = batch/2 would be no whole number"),
    (dict(batch=0, n=2), ValueError, r"n = 2, batch = 0: z\[1\]|batch = 0, n = 2: z\[1\]"),
]


@pytest.mark.parametrize("ask, error, said", REFUSED, ids=[str(case[0]) for case in REFUSED])
def test_what_cannot_be_is_refused_by_name(ask, error, said):
    c = contract([{"name": "batch"}, {"name": "h", "multiple_of": 8}, {"name": "n", "min": 2, "max": 10, "declared": True}],
                 x=("float32", "batch,h,n"), z=("float32", "batch/2,batch-n+1"))
    call = {"x": torch.zeros(4, 16, 2), "z": torch.zeros(2, 3)}
    with pytest.raises(error, match=said):
        tensorspec.make_call(c, call, **ask)


@pytest.mark.parametrize("call, said", [
    ({"ids": torch.zeros(2, 3).long()}, "mask"),
    ({**example(), "more": torch.zeros(1)}, "more"),
    ({**example(), "mask": torch.zeros(2).long()}, "mask: rank 1 .*expected rank 2"),
    ({**example(), "mask": torch.ones(2, 4).long()}, "mask axis 1: 4, expected 3"),
    ({**example(), "mask": torch.ones(2, 3)}, "mask: float32, expected int64"),
    ((torch.zeros(2, 3).long(), torch.zeros(2, 3).long()), "arguments by position get their names from forward=model")])
def test_an_example_that_does_not_fit(call, said):
    with pytest.raises(ValueError, match=said):
        tensorspec.make_call(IDS, call, batch=2)


def test_bad_values_and_nested_tensors():
    with pytest.raises(ValueError, match="expected 'tile' or 'draw'"):
        tensorspec.make_call(IDS, example(), values="random")
    with pytest.raises(tensorspec.Error, match="x: .*nested tensor"):
        tensorspec.make_call(contract(x=("float32", "n")), {"x": torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)])})


def test_everything_else_is_kept():
    def forward(pair, scale, fn=None):
        pass

    c = contract(**{"pair[0]": ("int64", "batch,seq"), "pair[1]": ("bool", "batch,seq")})
    fn = lambda: 0  # noqa: E731: not to be pickled
    pair = Pair(torch.arange(4).reshape(2, 2), torch.tensor([[True, False]] * 2))
    args, kwargs = tensorspec.make_call(c, ((pair, 0.5), {"fn": fn}), batch=3, forward=forward)
    assert type(args[0]) is Pair and args[1] == 0.5 and kwargs["fn"] is fn
    assert args[0].mask.tolist() == [[True, False]] * 3 and pair.ids.shape == (2, 2)


def test_devices_gradients_numpy_and_sparse():
    c = contract(x=("float32", "batch,3"))
    made = tensorspec.make_call(c, {"x": torch.zeros(2, 3, device="meta", requires_grad=True)}, batch=4)[1]["x"]
    assert made.device.type == "meta" and made.requires_grad and made.is_leaf and made.shape == (4, 3)
    assert tensorspec.make_call(c, {"x": torch.eye(3).to_sparse()}, batch=4)[1]["x"].to_dense().shape == (4, 3)
    array = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    for values in ("tile", "draw"):
        made = tensorspec.make_call(c, {"x": array}, batch=3, values=values)[1]["x"]
        assert type(made) is numpy.ndarray and made.dtype == numpy.float32 and made.shape == (3, 3)
    assert tensorspec.make_call(c, {"x": array})[1]["x"] is not array
    bits = torch.arange(6).reshape(2, 3).to(torch.bfloat16)
    made = tensorspec.make_call(contract(x=("bfloat16", "batch,3")), {"x": bits}, batch=3)[1]["x"]
    assert made.dtype == torch.bfloat16 and made[2].tolist() == [0, 1, 2]


def test_drawn_values_are_in_range_and_repeatable():
    call = {"ids": torch.randint(5, 90, (2, 300)), "mask": torch.ones(2, 300, dtype=torch.long)}
    made = [tensorspec.make_call(IDS, call, batch=4, seq=200, values="draw", seed=s)[1]["ids"] for s in (1, 1, 2)]
    assert set(made[0].flatten().tolist()) <= set(call["ids"].flatten().tolist()) and len(made[0].unique()) > 10
    assert torch.equal(made[0], made[1]) and not torch.equal(made[0], made[2])


def test_blocks_of_products_keep_their_place():
    """Both halves of a doubled product grow by themselves, whatever grows and shrinks."""
    c = contract(q=("float32", "batch,prompts"), image=("int64", "2*batch*prompts"))
    rows = torch.tensor([100 * half + 10 * b + p for half in (0, 1) for b in (0, 1) for p in (0, 1, 2)])
    made = tensorspec.make_call(c, {"q": torch.zeros(2, 3), "image": rows}, batch=3, prompts=2)[1]["image"]
    assert made.tolist() == [100 * half + 10 * b + p for half in (0, 1) for b in (0, 1, 0) for p in (0, 1)]
    wide = torch.arange(6).reshape(2, 3).T  # not contiguous
    made = tensorspec.make_call(contract(x=("int64", "n,m")), {"x": wide}, n=7, m=5)[1]["x"]
    assert made.tolist() == [[int(wide[i % 3, j % 2]) for j in range(5)] for i in range(7)]


@pytest.mark.parametrize("values", ["tile", "draw"])
def test_memory_stays_near_the_size_of_the_result(values):
    c = contract(ids=("int32", "batch,seq"))
    call = {"ids": numpy.arange(6, dtype=numpy.int32).reshape(2, 3)}
    tensorspec.make_call(c, call, batch=3, values=values)  # imports
    tracemalloc.start()
    made = tensorspec.make_call(c, call, batch=301, seq=1000, values=values)[1]["ids"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert made.nbytes <= peak < 2 * made.nbytes + 1_500_000


TOO_LARGE = """
    import json, resource, numpy, torch, tensorspec
    resource.setrlimit(resource.RLIMIT_AS, (1 << 35, 1 << 35))  # whatever fills memory piece by piece fails as well
    contract = tensorspec.Contract.from_json(json.dumps({"format": "tensorspec-contract", "version": 1, "variants": [{
        "inputs": [{"name": "x", "dtype": "float32", "shape": ["batch", 3]}], "symbols": [{"name": "batch"}]}]}))
    for make in (torch.zeros, lambda *shape: numpy.zeros(shape, numpy.float32)):
        for values in ("tile", "draw"):
            try:
                tensorspec.make_call(contract, {"x": make(2, 3)}, batch=2**50, values=values)
            except Exception as error:
                print(type(error).__name__, str(error).replace("\\n", " "))
"""


def test_a_size_that_does_not_fit_is_the_library_s_own_error_at_once():
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(TOO_LARGE)], capture_output=True, text=True)
    said = done.stdout.splitlines()
    assert len(said) == 4, done.stdout + done.stderr
    assert all(line.startswith("RuntimeError") and str(3 * 4 * 2**50) in line for line in said[:2]), said
    assert all("MemoryError Unable to allocate" in line for line in said[2:]), said
    x = torch.zeros(2, 3, device="meta")
    for values in ("tile", "draw"):
        assert tensorspec.make_call(contract(x=("float32", "batch,3")), {"x": x}, batch=2**50, values=values)[1]["x"].shape == (2**50, 3)


@pytest.mark.parametrize("make, error, said", [
    (lambda: tensorspec.dynamic_shapes(None), TypeError, "contract: a Contract, not NoneType"),
    (lambda: tensorspec.make_call(None, {}), TypeError, "contract: a Contract, not NoneType"),
    (lambda: tensorspec.make_call(IDS, example(), 3), TypeError, "sizes: a dict or None, not int"),
    (lambda: tensorspec.dynamic_shapes(IDS, variant=7), ValueError, "variant: 7, not one of the 1 that the contract has, from 0"),
    (lambda: tensorspec.dynamic_shapes(IDS, variant=-1), ValueError, "variant: -1, not one of the 1 that the contract has, from 0"),
    (lambda: tensorspec.dynamic_shapes(IDS, variant="0"), TypeError, "variant: a whole number or None, not str")])
def test_bad_arguments_in_one_line(make, error, said):
    with pytest.raises(error, match=f"^{said}$"):
        make()


def test_dynamic_shapes_of_names_alone():
    from torch.export import Dim
    c = contract([{"name": "batch", "min": 1, "max": 8}, {"name": "h", "min": 16, "max": 64, "multiple_of": 8}, {"name": "one", "min": 4, "max": 4}],
                 **{"x": ("float32", "batch,3,h"), "y[0]": ("float32", "2*batch+1"), "y[1].a": ("float32", "5"),
                    'z["k"]': ("float32", "batch+h,one")})
    shapes = tensorspec.dynamic_shapes(c)
    assert repr(shapes["x"]) == "{0: Dim('batch', min=1, max=8), 2: 8*_h}" and list(shapes) == ["x", "y", "z"]
    assert repr(shapes["y"]) == "[{0: 2*batch + 1}, {'a': None}]"
    assert repr(shapes["z"]) == "{'k': {0: DimHint(DYNAMIC, min=17, max=72)}}"
    root = shapes["x"][2].root
    assert isinstance(root, Dim) and (root.min, root.max) == (2, 8)


def test_dynamic_shapes_follow_the_example():
    class Model(torch.nn.Module):
        def forward(self, pair, scale, *rest, cache=None):
            return pair.ids + scale

    c = contract(**{"pair[0]": ("float32", "batch,seq"), "pair[1]": ("float32", "batch,seq"), "rest[0]": ("float32", "batch"),
                    'cache["n"]["b"]': ("float32", "seq"), 'cache["m"]': ("float32", "3")})
    call = ((Pair(torch.zeros(2, 3), torch.zeros(2, 3)), 2, torch.zeros(2)),
            dict(cache=collections.OrderedDict(n=collections.defaultdict(list, b=torch.zeros(3), none=None), m=torch.zeros(3))))
    shapes = tensorspec.dynamic_shapes(c, call, Model())
    assert list(shapes) == ["pair", "scale", "rest", "cache"] and type(shapes["pair"]) is Pair
    assert shapes["scale"] is None and shapes["cache"]["n"]["none"] is None and shapes["cache"]["m"] is None
    program = torch.export.export(Model(), *call, dynamic_shapes=shapes)
    bigger = tensorspec.make_call(c, call, batch=5, seq=7, forward=Model())
    assert program.module()(*bigger[0], **bigger[1]).shape == (5, 7)


def test_kwargs_keep_their_nesting():
    def forward(x, **more):
        pass

    c = contract(**{"x": ("float32", "n"), 'more["bias"]["b"]': ("float32", "n")})
    shapes = tensorspec.dynamic_shapes(c, ((torch.zeros(3),), {"bias": {"b": torch.zeros(3)}, "flag": True}), forward)
    assert repr(shapes) == "{'x': {0: Dim('n', min=0)}, 'more': {'bias': {'b': {0: Dim('n', min=0)}}, 'flag': None}}"


def test_arguments_by_position_alone():
    c = contract(**{"args[0]": ("float32", "n"), "args[1]": ("float32", "3")})
    call = (torch.zeros(3), torch.zeros(3))
    assert repr(tensorspec.dynamic_shapes(c, call)) == "({0: Dim('n', min=0)}, None)"
    with pytest.raises(ValueError, match="say forward=model"):
        tensorspec.dynamic_shapes(contract(**{"args[0]": ("float32", "n"), "y": ("float32", "3")}), ((call[0],), {"y": call[1]}))


def test_a_size_of_one_warns():
    with pytest.warns(UserWarning, match=r"0 or 1 in the example: ids\[0\], mask\[0\]$"):
        tensorspec.dynamic_shapes(IDS, {"ids": torch.zeros(1, 3).long(), "mask": torch.zeros(1, 3).long()})


def test_a_declared_range_is_what_torch_is_told():
    class Model(torch.nn.Module):
        def forward(self, x):
            return x.cumsum(1)

    with tensorspec.record(Model(), batch="x:0", examples=True) as recorder:
        for b, s in ((1, 4), (2, 7), (3, 5), (4, 9)):
            recorder._modules[""](torch.zeros(b, s))
    c = recorder.contract(names={"s0": "seq"}, ranges={"seq": (1, 5000), "batch": (1, 100)})
    example, = recorder.examples[""]
    with pytest.raises(ValueError, match="seq = 5001: declared to be at most 5000"):
        tensorspec.make_call(c, example, forward=Model(), seq=5001)
    args, kwargs = tensorspec.make_call(c, example, batch=2, seq=3, forward=Model())
    program = torch.export.export(Model(), args, kwargs, dynamic_shapes=tensorspec.dynamic_shapes(c, (args, kwargs), Model()))
    big = tensorspec.make_call(c, example, batch=100, seq=5000, forward=Model())
    assert program.module()(*big[0], **big[1]).shape == (100, 5000)


DIMS = ["a", "b", "2*a", "a+b", "3*b+1", "a*b", "floor((a+3)/4)", "ceil(b/2)*ceil(a/3)+1", "4*a+2*b", "7", "2*a*b"]


@pytest.mark.parametrize("seed", range(60))
def test_any_call_that_is_built_conforms(seed):
    """Tensors of random dims at random sizes, rebuilt at others."""
    draw = random.Random(seed)
    shapes = {"x": ["a", "b"], **{f"t{i}": draw.choices(DIMS, k=draw.randint(1, 3)) for i in range(3)}}
    dtypes = {name: draw.choice([torch.float32, torch.int64, torch.bool, torch.bfloat16]) for name in shapes}
    c = contract(**{name: (str(dtypes[name])[6:], ",".join(shape)) for name, shape in shapes.items()})
    sizes = {"a": draw.randint(0, 5), "b": draw.randint(0, 5)}
    call = {name: torch.arange(math.prod(size := [tensorspec.Dim(d).evaluate(sizes) for d in shape])).reshape(size).to(dtypes[name])
            for name, shape in shapes.items()}
    before = {name: tensor.clone() for name, tensor in call.items()}
    ask = {name: draw.randint(0, 9) for name in draw.sample(["a", "b"], draw.randint(0, 2))}
    made = tensorspec.make_call(c, call, values=draw.choice(["tile", "draw"]), **ask)[1]
    tensorspec.Checker(c, "relations").require(made)
    for name, tensor in made.items():
        assert tuple(tensor.shape) == tuple(tensorspec.Dim(d).evaluate({**sizes, **ask}) for d in shapes[name])
        assert tensor.dtype == dtypes[name] and torch.equal(call[name], before[name]) and tensor.data_ptr() != call[name].data_ptr() or not tensor.numel()
        assert not call[name].numel() or set(tensor.flatten().tolist()) <= set(call[name].flatten().tolist())


def test_what_torch_cannot_flatten_is_named():
    call = {"x": transformers.EncoderDecoderCache(transformers.DynamicCache(), transformers.DynamicCache())}
    call["x"].self_attention_cache.update(torch.zeros(1, 1, 2, 1), torch.zeros(1, 1, 2, 1), 0)
    names = {name: ("float32", "1,1,n,1") for name in tensorspec.tensors_of((), call)}
    with pytest.raises(TypeError, match="x is a EncoderDecoderCache, which torch.export does not know: register it"):
        tensorspec.dynamic_shapes(contract(**names), call)


def test_several_variants_need_an_example():
    two = json.loads(IDS.to_json())
    two["variants"].append({"inputs": [{"name": "ids", "dtype": "int64", "shape": ["n"]}], "symbols": []})
    c = tensorspec.Contract.from_json(json.dumps(two))
    with pytest.raises(ValueError, match="2 variants: give an example, or say variant=0"):
        tensorspec.dynamic_shapes(c)
    assert list(tensorspec.dynamic_shapes(c, variant=1)) == ["ids"]
    assert tensorspec.make_call(c, {"ids": torch.zeros(2).long()}, n=5)[1]["ids"].shape == (5,)
