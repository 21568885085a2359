# SPDX-License-Identifier: Apache-2.0
"""The profiles and buckets of a plan, in the dialects that carry several."""
import json
import pathlib
import shlex
import subprocess
import sys

import pytest


@pytest.fixture
def planned(cli, root, tmp_path):
    """A contract and its plans: (contract, {mode: path of the plan})."""
    contract = tmp_path / "ocr.contract.json"
    assert cli("learn", root / "examples/ocr", "-o", contract, "--name", "s0=w")[0] == 0
    plans = {mode: tmp_path / f"{mode}.json" for mode in ("profiles", "buckets")}
    for mode, path in plans.items():
        assert cli("plan", contract, "-k", "3", "--mode", mode, "-o", path, "-q")[0] == 0
    return contract, plans


def boxes(path):
    """{min|opt|max: shape of x} of each profile, from the plan alone."""
    return [{end: [profile["symbols"]["batch"][end], 3, 48, profile["symbols"]["w"][end]] for end in ("min", "opt", "max")}
            for profile in json.loads(path.read_text())["variants"][0]["profiles"]]


def test_trtexec_has_a_profile_each(export, planned):
    contract, plans = planned
    lines = [shlex.split(line) for line in export(contract, "trtexec", "--plan", plans["profiles"]).splitlines()]
    by_x = lambda shape: "x:" + "x".join(map(str, shape))
    assert lines == [[f"--profile={i}", *(f"--{end}Shapes={by_x(box[end])}" for end in ("min", "opt", "max"))]
                     for i, box in enumerate(boxes(plans["profiles"]))]


def test_polygraphy_parses_the_profiles_and_refuses_one_out_of_order(export, planned, tmp_path):
    pytest.importorskip("polygraphy")
    contract, plans = planned
    lines = [shlex.split(line) for line in export(contract, "polygraphy", "--plan", plans["profiles"]).splitlines()]
    words = [word for line in lines if line[0].startswith("--trt") for word in line]
    (tmp_path / "m.onnx").write_bytes(b"")
    polygraphy = str(pathlib.Path(sys.executable).parent / "polygraphy")
    run = lambda words: subprocess.run([polygraphy, "run", "m.onnx", "--trt", *words, "--gen-script=g.py"], capture_output=True,
                                       text=True, cwd=tmp_path)
    done = run(words)
    assert done.returncode == 0, done.stdout + done.stderr
    script = (tmp_path / "g.py").read_text()
    wanted = boxes(plans["profiles"])
    assert script.count(".add('x', ") == len(wanted) == 3
    for box in wanted:
        assert f".add('x', min={box['min']}, opt={box['opt']}, max={box['max']})" in script
    assert run([word.replace("x:", "y:") if word.endswith(f"{wanted[0]['max'][3]}]") else word for word in words]).returncode != 0


def test_onnxruntime_repeats_the_name(export, planned):
    contract, plans = planned
    options = json.loads(export(contract, "onnxruntime", "--plan", plans["profiles"]))
    provider = options.get("TensorrtExecutionProvider", options)
    for end in ("min", "opt", "max"):
        wanted = ",".join("x:" + "x".join(map(str, box[end])) for box in boxes(plans["profiles"]))
        assert provider[f"trt_profile_{end}_shapes"] == wanted


def test_coreml_enumerates_the_buckets(run_source, planned):
    pytest.importorskip("coremltools")
    contract, plans = planned
    tensor, = run_source(contract, "coreml", "--plan", plans["buckets"])["inputs"]
    shapes = [list(shape.shape) for shape in tensor.shape.shapes]
    assert sorted(shapes) == sorted(box["max"] for box in boxes(plans["buckets"]))


def test_coreml_takes_128_shapes_and_no_more(cli, planned, tmp_path):
    contract, _ = planned
    ladder = tmp_path / "ladder.json"
    for count, code in ((128, 0), (129, 1)):
        ladder.write_text(json.dumps({"w": [320 + i for i in range(count)], "batch": [1]}))
        found, _, err = cli("export", contract, "--to", "coreml", "--plan", ladder)
        assert found == code and (code == 0 or "Core ML takes 128 shapes, the profiles have 129" in err)


def test_buckets_are_lines_of_gaudi(export, planned):
    contract, plans = planned
    text = export(contract, "buckets", "--plan", plans["buckets"])
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    assert rows == [f"({b}, {w}, 0)" for b, w in sorted((box["max"][0], box["max"][3]) for box in boxes(plans["buckets"]))]


def test_a_dialect_of_one_profile_gets_the_box_around_them_and_says_so(cli, run_source, planned):
    contract, plans = planned
    assert run_source(contract, "openvino", "--plan", plans["profiles"])["shapes"] == {"x": "[1..6,3,48,320..1603]"}
    code, _, err = cli("export", contract, "--to", "openvino", "--plan", plans["profiles"])
    assert code == 0 and "profiles" in err


def test_plans_that_do_not_fit(cli, root, planned, tmp_path):
    contract, plans = planned
    ladder = tmp_path / "ladder.json"
    for text, said in (('{"width": [320, 640]}', "[profile_mismatch]"), ('{"w": [311], "batch": [1]}', "[profile_mismatch]"),
                       ("[320]", "[plan_format]"), ("{", "[json_syntax]")):
        ladder.write_text(text)
        code, out, err = cli("export", contract, "--to", "trtexec", "--plan", ladder)
        assert code in (1, 2) and out == "" and said in err, (text, err)
    ladder.write_text('{"w": [320, 640]}')  # batch: any size of the contract
    code, out, _ = cli("export", contract, "--to", "trtexec", "--plan", ladder)
    assert code == 0 and "--minShapes=x:1x3x48x320" in out and "--maxShapes=x:6x3x48x640" in out
    two = tmp_path / "gpt2.contract.json"
    cli("learn", root / "examples/gpt2", "-o", two)
    plan = tmp_path / "gpt2.plan.json"
    assert cli("plan", two, "-k", "2", "--mode", "profiles", "-o", plan)[0] == 0
    for variant in "01":
        assert cli("export", two, "--to", "trtexec", "--plan", plan, "--variant", variant)[0] == 0
    code, _, err = cli("export", two, "--to", "trtexec", "--plan", plan)
    assert code != 0 and "of which variant?" in err
