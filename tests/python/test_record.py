# SPDX-License-Identifier: Apache-2.0
import asyncio
import copy
import inspect
import io
import json
import pathlib
import pickle
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import pytest
import torch
import transformers

import tensorspec


class Toy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 6)

    def forward(self, x, mask=None, *, scale=1):
        if x.shape[-1] != 4:
            raise RuntimeError(f"bad width\n{x.shape}")
        y = self.inner(x)
        return {"y": y, "n": 3, "parts": (y[:, :1], None)}


class Grows(torch.nn.Module):
    """Changes its cache in place."""

    def forward(self, x, cache):
        cache.update(x, x, 0)
        return cache


def lines(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines() if line]


def shapes(tensors):
    return {name: tuple(tensor["shape"]) for name, tensor in tensors.items()}


def test_one_line_a_call(tmp_path):
    model = Toy()
    with tensorspec.record(model, ["inner"], tmp_path / "toy.jsonl", batch="x:0") as recorder:
        model(torch.zeros(2, 4), scale=7)
        model(mask=torch.ones(3, dtype=torch.bool), x=torch.zeros(3, 4))
    model(torch.zeros(9, 4))  # no longer recorded
    first, second = lines(tmp_path / "toy.jsonl")
    assert first == {"batch_size": 2, "inputs": {"x": {"dtype": "float32", "shape": [2, 4]}},
                     "outputs": {'output["y"]': {"dtype": "float32", "shape": [2, 6]},
                                 'output["parts"][0]': {"dtype": "float32", "shape": [2, 1]}}}
    assert list(second["inputs"]) == ["x", "mask"] and second["inputs"]["mask"] == {"dtype": "bool", "shape": [3]}
    inner = lines(tmp_path / "toy.inner.jsonl")
    assert [call["batch_size"] for call in inner] == [2, 3] and shapes(inner[0]["outputs"]) == {"output": (2, 6)}
    assert recorder.calls == {"": 2, "inner": 2} and not recorder.skipped and "4 calls" in repr(recorder)
    assert not model._forward_hooks and not model._forward_pre_hooks and not model.inner._forward_hooks


def test_names_of_any_text(tmp_path, cli):
    class Takes(torch.nn.Module):
        def forward(self, x):
            return None

    names = ['a"b', "a\\b", "a\nb", "\x00\x1f", "\u00e9\u4e2d\U0001f600", "", "[0]", "a" * 3000]
    with tensorspec.record(Takes(), path=tmp_path / "n.jsonl", strict=True) as recorder:
        recorder._modules[""]({name: torch.zeros(2) for name in names})
    call = tensorspec.Call.from_json((tmp_path / "n.jsonl").read_text())
    assert [tensor.name for tensor in call.inputs] == [f"x[{json.dumps(name, ensure_ascii=False)}]" for name in names]
    assert cli("learn", tmp_path / "n.jsonl")[0] == 0


def test_shapes_are_read_before_the_call():
    model, cache = Grows(), transformers.DynamicCache()
    with tensorspec.record(model) as recorder:
        for _ in range(6):
            model(torch.zeros(1, 2, 5, 8), cache)
    prefill, decode = sorted(recorder.contract().variants, key=lambda v: len(v.inputs))
    assert [t.name for t in prefill.inputs] == ["x"] and prefill.calls == 1
    symbols = decode.symbol("s0")
    assert (symbols.min, symbols.max, symbols.seen) == (5, 25, 5)
    assert [str(d) for d in decode.outputs[0].shape] == ["1", "2", "s0+5", "8"]


def test_a_model_that_raises(tmp_path):
    model = Toy()
    with tensorspec.record(model, path=tmp_path / "toy.jsonl", examples=True) as recorder:
        try:
            raise KeyError("handled while the model runs")
        except KeyError:
            model(torch.zeros(1, 4))  # an exception under way that is not the model's
            with pytest.raises(RuntimeError, match="bad width"):
                model(torch.zeros(1, 5))
    good, bad = lines(tmp_path / "toy.jsonl")
    assert "ok" not in good and bad["ok"] is False and bad["outputs"] == {} and shapes(bad["inputs"]) == {"x": (1, 5)}
    assert bad["error"] == "RuntimeError: bad width"
    assert len(recorder.examples[""]) == 1 and recorder.examples[""][0][0][0].shape == (1, 4)


def test_interrupts_and_memory_are_no_refusals(tmp_path):
    class Stops(torch.nn.Module):
        def forward(self, x, stop=None):
            if stop is not None:
                raise stop
            return x

    model = Stops()
    with tensorspec.record(model, path=tmp_path / "s.jsonl", batch="x:0") as recorder:
        with pytest.raises(KeyboardInterrupt):
            model(torch.zeros(1), KeyboardInterrupt())
        with pytest.warns(RuntimeWarning, match="out of memory"), pytest.raises(MemoryError):
            model(torch.zeros(2), MemoryError())
        model(torch.zeros(3))
    assert [call["batch_size"] for call in lines(tmp_path / "s.jsonl")] == [3]
    assert sum(recorder.skipped.values()) == 1


@pytest.mark.parametrize("batch, wanted", [(None, None), (2, 2), ("x:0", 2), ("x:-1", 4), ("mask:0", None),
                                           (lambda args, kwargs: args[0].shape[0] * 3, 6), (lambda args, kwargs: None, None), (lambda args, kwargs: float("nan"), None),
                                           (lambda args, kwargs: 2.0, 2)])
def test_batch_rules(tmp_path, batch, wanted):
    with tensorspec.record(Toy(), path=tmp_path / "b.jsonl", batch=batch, strict=True) as recorder:
        recorder._modules[""](torch.zeros(2, 4))
    assert [call["batch_size"] for call in lines(tmp_path / "b.jsonl")] == [wanted]


@pytest.mark.parametrize("batch, said", [
    (lambda args, kwargs: 0, "a batch size must be a whole number of at least 1: 0"),
    (lambda args, kwargs: -1, "at least 1: -1"), (lambda args, kwargs: 1.5, "at least 1: 1.5"),
    (lambda args, kwargs: float("inf"), "at least 1: inf"), (lambda args, kwargs: "two", "batch_size"), (lambda args, kwargs: kwargs["no"], "KeyError: 'no'"), ("x:5", "x has 2 axes")])
def test_a_bad_batch_size_leaves_the_call_out_and_the_model_alone(tmp_path, batch, said):
    model = Toy()
    with tensorspec.record(model, path=tmp_path / "b.jsonl", batch=batch) as recorder:
        with pytest.warns(RuntimeWarning) as caught:
            assert model(torch.zeros(2, 4))["n"] == 3
            model(torch.zeros(2, 4))
    assert len(caught) == 1 and said in str(caught[0].message)  # once
    assert list(recorder.skipped.values()) == [2] and lines(tmp_path / "b.jsonl") == []
    with tensorspec.record(model, path=tmp_path / "b.jsonl", batch=batch, strict=True), pytest.raises((ValueError, KeyError, TypeError)):
        model(torch.zeros(2, 4))


@pytest.mark.parametrize("arguments, error, said", [
    (dict(batch=0), ValueError, "at least 1: 0"), (dict(batch=-1), ValueError, "at least 1: -1"), (dict(batch=1.5), ValueError, "1.5"),
    (dict(batch="x"), ValueError, "expected 'tensor:axis'"), (dict(batch="x:y"), ValueError, "expected 'tensor:axis'"),
    (dict(submodules=["iner"]), ValueError, "no submodule is called 'iner'; there is inner"),
    (dict(path="a.jsonl", learner=1), ValueError, "not both"),
    (dict(learner=3), TypeError, "^learner: a Learner or None, not int$"), (dict(path=3), TypeError, "^path: a path or None, not int$"),
    (dict(submodules=3), TypeError, "^submodules: names or patterns, not int$"),
    (dict(submodules=[3]), TypeError, "^submodules: names or patterns, not int$")])
def test_bad_arguments(arguments, error, said):
    with pytest.raises(error, match=said):
        tensorspec.record(Toy(), **arguments)


def test_no_module_and_no_folder(tmp_path):
    with pytest.raises(TypeError, match="function is not a torch module"):
        tensorspec.record(lambda x: x)
    with pytest.raises(TypeError, match="^record: a function to decorate, not int$"):
        tensorspec.record(Toy())(3)
    model = Toy()
    with pytest.raises(OSError), tensorspec.record(model, path=tmp_path / "none" / "x.jsonl"):
        pass
    assert not model._forward_hooks


def test_what_has_no_shape_leaves_the_call_out():
    nested = torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)])

    class Takes(torch.nn.Module):
        def forward(self, x, other=None):
            return nested if other == "nested" else x

    model = Takes()
    with tensorspec.record(model) as recorder:
        with pytest.warns(RuntimeWarning, match="x: .*nested tensor"):
            model(nested)
        with pytest.warns(RuntimeWarning, match="output: .*nested tensor"):
            model(torch.zeros(1), "nested")
        model(torch.zeros(1, 2), [1, 2.5, "text", object(), lambda: 0, threading.Lock()])  # no tensors in here
        model(torch.zeros(1, 2, 3), [1])  # another rank: another variant
    assert {len(v.inputs[0].shape) for v in recorder.contract().variants if v.inputs} == {2, 3}


def test_a_decorator_and_threads(tmp_path):
    model = Toy()

    @tensorspec.record(model, path=tmp_path / "t.jsonl", batch="x:0")
    def work(n):
        """Runs it."""
        for _ in range(50):
            model(torch.zeros(n, 4))

    threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2, 3, 4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    calls = lines(tmp_path / "t.jsonl")
    assert (tmp_path / "t.jsonl").read_bytes().count(b"\n") == len(calls) == 200 and all(call["inputs"]["x"]["shape"][0] == call["batch_size"] for call in calls)
    assert work.__doc__ == "Runs it." and not model._forward_hooks


def test_learners_and_files_give_one_contract(tmp_path):
    model, learner = Toy(), tensorspec.Learner()
    for target in (dict(learner=learner), dict(path=tmp_path / "x.jsonl")):
        with tensorspec.record(model, ["inner"], batch="x:0", **target) as recorder:
            for n in (1, 2, 3, 5):
                model(torch.zeros(n, 4))
        if "learner" in target:
            learned = [recorder.contract(), recorder.contract("inner")]
    assert [recorder.contract(), recorder.contract("inner")] == learned
    assert learner.contract() == learned[0] and [str(d) for d in learned[1].variants[0].inputs[0].shape] == ["batch", "4"]


def test_tracing_is_not_recorded(tmp_path):
    model = Toy().eval()
    with tensorspec.record(model, path=tmp_path / "x.jsonl") as recorder:
        torch.export.export(model, (torch.zeros(2, 4),))
        assert torch.compile(model, backend="eager")(torch.zeros(2, 4))["y"].shape == (2, 6)
    assert recorder.calls[""] == 0 and not recorder.skipped and lines(tmp_path / "x.jsonl") == []


def test_a_line_cut_off_by_a_crash_costs_that_line_alone(tmp_path, cli):
    path = tmp_path / "x.jsonl"
    path.write_text('{"batch_size":1,"inputs":{"x":{"dtype":"float32","shape":[1,4]}}}\n{"batch_size":2,"inp')
    with tensorspec.record(Toy(), path=path) as recorder:
        recorder._modules[""](torch.zeros(2, 4))
    code, out, err = cli("learn", path)
    assert code == 1 and "line 2" in err and out.startswith("2 calls")
    with pytest.warns(RuntimeWarning, match="left out: .*line 2"):
        assert recorder.contract().variants[0].calls == 2


def test_reasons_do_not_pile_up(tmp_path):
    model, sizes = Toy(), iter(range(1000))
    with warnings.catch_warnings(record=True) as caught, \
            tensorspec.record(model, batch=lambda args, kwargs: -next(sizes)) as recorder:
        warnings.simplefilter("always")
        for _ in range(300):
            model(torch.zeros(1, 4))
    assert len(caught) == len(recorder.skipped) == 101 and sum(recorder.skipped.values()) == 300
    assert recorder.skipped["other reasons"] == 200


@pytest.mark.parametrize("wrap", [torch.nn.DataParallel, lambda model: torch.compile(model, backend="eager")], ids=["parallel", "compiled"])
def test_wrapped_modules_have_the_names_of_what_they_wrap(wrap):
    model = wrap(Toy().eval())
    with torch.no_grad(), tensorspec.record(model, strict=True) as recorder:
        model(torch.zeros(2, 4))
        model(x=torch.zeros(3, 4), scale=2)
    variant, = recorder.contract().variants
    assert variant.calls == 2 and [t.name for t in variant.inputs] == ["x"]


def test_a_full_disk_costs_the_calls_that_did_not_fit(tmp_path, cli):
    path, model = tmp_path / "x.jsonl", Toy()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with tensorspec.record(model, path=path) as recorder:
        model(torch.zeros(1, 4))
        try:  # the second line is cut, the third does not begin
            resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, hard))
            with pytest.warns(RuntimeWarning, match="left out of the recording: OSError") as caught:
                model(torch.zeros(2, 4))
                model(torch.zeros(3, 4))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        model(torch.zeros(4, 4))
    assert len(caught) == 1 and sum(recorder.skipped.values()) == 2 and recorder.calls[""] == 2
    code, out, err = cli("learn", path)
    assert code == 1 and err.count("line ") == 1 and out.startswith("2 calls")


def copies(model):
    buffer = io.BytesIO()
    torch.save(model, buffer)
    buffer.seek(0)
    yield torch.load(buffer, weights_only=False)
    yield copy.deepcopy(model)
    yield from (pickle.loads(pickle.dumps(model, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1))


def test_copies_made_meanwhile_are_not_recorded(tmp_path):
    model = Toy()
    with tensorspec.record(model, ["inner"], tmp_path / "x.jsonl", batch=lambda args, kwargs: None) as recorder:
        model(torch.zeros(1, 4))
        for other in copies(model):
            assert other(torch.zeros(2, 4))["y"].shape == (2, 6)
            with tensorspec.record(other) as another, pytest.raises(RuntimeError, match="bad width"):
                other(torch.zeros(2, 5))
            assert another.calls == {"": 1} and copy.deepcopy(other)(torch.zeros(2, 4))["n"] == 3
        model(torch.zeros(3, 4))
    assert [call["inputs"]["x"]["shape"] for call in lines(tmp_path / "x.jsonl")] == [[1, 4], [3, 4]]
    assert recorder.calls == {"": 2, "inner": 2} and not recorder.skipped


class Nested(torch.nn.Module):
    def forward(self, inp, mask=None):
        return inp["ids"]


def test_a_misspelt_batch_tensor_is_warned_about_once():
    model = Nested()
    with tensorspec.record(model, batch="inp.idz:0") as recorder:
        with pytest.warns(RuntimeWarning) as caught:
            for n in (1, 2):
                model({"ids": torch.zeros(n)}, mask=torch.zeros(1))
    said, = (str(warning.message) for warning in caught)
    assert said == """batch='inp.idz:0': no batch size is known of a call without inp.idz; its tensors: inp["ids"], mask"""
    assert recorder.calls == {"": 2} and not recorder.skipped


class Holder:
    def __init__(self, ids):
        self.ids = ids


def test_arguments_of_unknown_classes_are_warned_about_once():
    class Takes(torch.nn.Module):
        def forward(self, *args, **kwargs):
            return torch.zeros(1)

    model = Takes()
    with warnings.catch_warnings(record=True) as caught, tensorspec.record(model) as recorder:
        warnings.simplefilter("always")
        for call in ((), (None, 3, "text", [], torch.relu), (torch.zeros(1), Holder(1))):
            model(*call)
        assert not caught  # nothing that could hold a tensor, or a tensor
        for _ in range(2):
            model([Holder(torch.zeros(1))], extra=Holder(2))
    said, = (str(warning.message) for warning in caught)
    assert said == 'no tensor was found in args[0][0]: Holder, kwargs["extra"]: Holder; register_container tells where they are'
    assert recorder.calls == {"": 5} and not recorder.skipped


def test_decorated_coroutines_and_generators_are_recorded_while_they_run():
    model = Toy()
    recorder = tensorspec.record(model)

    @recorder
    async def one():
        await asyncio.sleep(0)
        return model(torch.zeros(1, 4))["n"]

    @recorder
    def many():
        yield model(torch.zeros(2, 4))["n"]
        yield model(torch.zeros(3, 4))["n"]

    @recorder
    async def streamed():
        yield model(torch.zeros(4, 4))["n"]

    async def use():
        return [await one(), *[n async for n in streamed()]]

    assert inspect.iscoroutinefunction(one) and inspect.isgeneratorfunction(many) and inspect.isasyncgenfunction(streamed)
    assert asyncio.run(use()) == [3, 3] and recorder.calls == {"": 2} and not model._forward_hooks
    steps = many()
    assert not model._forward_hooks and next(steps) == 3 and model._forward_hooks
    assert list(steps) == [3] and recorder.calls == {"": 4} and not model._forward_hooks


KILLED = """
    import sys, torch, tensorspec
    class Many(torch.nn.Module):
        def forward(self, tensors): return tensors
    model = Many()
    x = {f"a name that makes the line long {i}": torch.zeros(2, 3, device="meta") for i in range(150)}
    with tensorspec.record(model, path=sys.argv[1]):
        print("ready", flush=True)
        while True: model(x)
"""


def test_killed_at_any_moment(tmp_path):
    """Lines are longer than a page, so that a write could be cut; whatever is cut is the last line."""
    path, whole = tmp_path / "x.jsonl", 0
    for run in range(2):
        child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(KILLED), str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "ready\n"
        before = path.stat().st_size
        while path.stat().st_size < before + 2_000_000 and child.poll() is None:
            time.sleep(0.001 * (run + 1))
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert child.returncode == -signal.SIGKILL
        child.stdout.close()
    bad = 0
    for line in path.read_bytes().split(b"\n"):
        try:
            whole += len(json.loads(line)["inputs"]) == 150 if line else 0
        except ValueError:
            bad += 1
    assert whole > 100 and bad <= 2
