# SPDX-License-Identifier: Apache-2.0
"""plan, plan --audit, and diff against a plan or a ladder: published keys and exit codes, and what bad input does."""
import json
import subprocess
import sys

import jsonschema
import pytest


@pytest.fixture
def ocr(cli, root, tmp_path):
    path = tmp_path / "ocr.contract.json"
    assert cli("learn", root / "examples/ocr", "-o", path, "--name", "s0=width")[0] == 0
    return path


def test_lengths_of_the_example(cli, root):
    """What docs/plan.md says of them."""
    code, out, err = cli("plan", root / "examples/lengths/lengths.csv", "-k", "13")
    assert code == 0 and err == ""
    assert out.startswith("13 buckets for 200000 calls of 4499 sizes: 16.9 % of the cost is padding; no 13 do better\n")
    assert "  13 powers of two  30.2 %" in out
    told = (root / "docs/plan.md").read_text()
    assert out in told


def test_the_lengths_are_those_of_the_script(root, tmp_path):
    script = tmp_path / "make_lengths.py"
    script.write_text((root / "examples/lengths/make_lengths.py").read_text())
    subprocess.run([sys.executable, script], check=True)
    assert (tmp_path / "lengths.csv").read_bytes() == (root / "examples/lengths/lengths.csv").read_bytes()


def test_plan_files_follow_the_schema(cli, root, ocr, tmp_path):
    schema = json.loads((root / "docs/plan.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for mode in ("buckets", "profiles"):
        path = tmp_path / f"{mode}.json"
        code, out, _ = cli("plan", ocr, "-k", "3", "--mode", mode, "-o", path, "--json")
        assert code == 0 and out == path.read_text()
        plan = json.loads(out)
        jsonschema.validate(plan, schema)
        assert (plan["mode"], plan["k"], len(plan["variants"][0]["profiles"])) == (mode, 3, 3)
        for profile in plan["variants"][0]["profiles"]:
            for size in profile["symbols"].values():
                assert 1 <= size["min"] <= size["opt"] <= size["max"]
    plan["variants"][0]["profiles"][0]["symbols"]["width"]["max"] = 1.5
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(plan, schema)


def test_two_variants(cli, root, tmp_path):
    path = tmp_path / "gpt2.contract.json"
    cli("learn", root / "examples/gpt2", "-o", path)
    plan = json.loads(cli("plan", path, "-k", "2", "--json")[1])
    assert [entry["variant"] for entry in plan["variants"]] == [0, 1]
    assert [entry["variant"] for entry in json.loads(cli("plan", path, "--variant", "1", "--json")[1])["variants"]] == [1]
    code, _, err = cli("plan", path, "--variant", "2")
    assert code == 2 and "there are 2 variants, from 0" in err


def test_a_trace_beside_a_contract(cli, ocr, tmp_path):
    trace = tmp_path / "log.jsonl"
    trace.write_text('{"width": 320, "batch": 1, "count": 90, "id": "x"}\n{"width": 640, "batch": 4, "count": 10}\n')
    code, out, _ = cli("plan", ocr, trace, "-k", "2", "--column", "width", "--column", "batch", "--json")
    plan = json.loads(out)["variants"][0]
    assert code == 0 and plan["calls"] == 100 and plan["optimal"]
    assert [[p["symbols"][s]["max"] for s in ("batch", "width")] for p in plan["profiles"]] == [[1, 320], [4, 640]]
    trace.write_text("tokens,batch\n320,1\n")
    code, _, err = cli("plan", ocr, trace)
    assert code == 2 and "width: " in err and "no column of the trace has its sizes" in err


def test_audit(cli, ocr, tmp_path):
    ladder = tmp_path / "ladder.json"
    ladder.write_text('{"width": [640, 960], "batch": [6]}')
    code, out, _ = cli("plan", ocr, "--audit", ladder, "--json")
    audit = json.loads(out)["variants"][0]["audit"]
    assert code == 1 and (audit["outside"], audit["calls"]) == (3, 13)
    axis = audit["axes"][0]
    assert (axis["symbol"], axis["axes"], axis["smallest"], axis["largest"], axis["at_most"]) == (
        "width", ["x[3]"], 961, 1603, 960)
    assert [p["calls"] for p in audit["profiles"]] == [8, 2]
    code, out, _ = cli("plan", ocr, "--audit", ladder)
    assert "3 of 13 calls (23.1 %) outside" in out and " too, all" not in out and "width (x[3]): 961..1603, at most 960" in out
    ladder.write_text("[640, 1603]")
    code, _, err = cli("plan", ocr, "--audit", ladder)
    assert code == 2 and "plan_format" in err and "needs the name of its symbol" in err
    code, out, _ = cli("plan", ocr, "--audit", ladder, "--symbol", "width")
    assert code == 0 and "all 13 calls inside" in out and "padding, that of batch too, all calls inside" in out


def test_diff_against_a_plan_or_a_ladder(cli, ocr, tmp_path):
    plan = tmp_path / "plan.json"
    cli("plan", ocr, "-k", "1", "-o", plan)
    assert cli("diff", ocr, plan)[0] == 0
    cli("plan", ocr, "-k", "4", "--mode", "profiles", "-o", plan)
    code, out, _ = cli("diff", ocr, plan, "--json")
    found = json.loads(out)
    # Every call seen is in a profile, not every size that the contract allows.
    assert code == 1 and not found["inside"]
    audit = found["variants"][0]["audit"]
    assert audit["outside"] == 0 and audit["uncovered"]
    assert any(p["outside"] for p in audit["profiles"])
    ladder = tmp_path / "ladder.json"
    ladder.write_text("[320, 960]")
    code, out, _ = cli("diff", ocr, ladder, "--symbol", "width")
    assert code == 1 and "  bucket  takes" in out and "width (x[3]): 961..1603, at most 960" in out
    ladder.write_text('{"height": [320]}')
    code, _, err = cli("diff", ocr, ladder)
    assert code == 2 and "height: " in err and "no symbol of this name" in err


@pytest.mark.parametrize("text, symbols, calls", [
    ('time,ContextTokens,GeneratedTokens,id\n2023-11-16 18:15:46,4808,10,"a, b"\n2023-11-16 18:15:50,3180,8,c\n',
     ["ContextTokens", "GeneratedTokens"], 2),
    ('{"id": 7, "usage": {"prompt_tokens": 12, "completion_tokens": 30}}\n' * 2,
     ["usage_completion_tokens", "usage_prompt_tokens"], 2),
    ("seq;n;count\n1;2;40\n3;4;2\n", ["n", "seq"], 42),
    ('{"seq": 3, "count": 5, "name": "x"}\n{"name": "y", "seq": 4, "count": 1}\n', ["seq"], 6),
])
def test_columns_of_a_trace(cli, tmp_path, text, symbols, calls):
    trace = tmp_path / "trace"
    trace.write_text(text)
    code, out, err = cli("plan", trace, "-k", "1", "--json")
    assert code == 0, err
    (plan,) = json.loads(out)["variants"]
    assert sorted(symbol["name"] for symbol in plan["symbols"]) == symbols and plan["calls"] == calls


def test_more_huge_sizes_than_the_sample_holds(cli, tmp_path):
    """A bin of such sizes spans 2^53 of them: none is walked through."""
    calls = tmp_path / "calls.jsonl"
    calls.write_text("".join('{"inputs": {"x": {"dtype": "int8", "shape": [%d]}}}\n' % (2**61 + 2**47 * i + 1) for i in range(9000)))
    contract = tmp_path / "c.json"
    assert cli("learn", calls, "-o", contract, "-q")[0] == 0
    code, out, err = cli("plan", contract, "-k", "3")
    assert code == 0 and out.startswith("3 buckets for 9000 calls"), err


@pytest.mark.parametrize("text, code, said", [
    ("", "lengths_columns", "it is empty"),
    ("seq\n", "nothing_found", "no sizes"),
    ("seq\n12\nabc\n", "lengths_row", "line 3"),
    ("seq\n12\n-1\n", "invalid_extent", "line 3"),
    ("seq,n\n12\n", "lengths_row", "line 2"),
    ('{"seq": 3}\n{"seq": 4.5}\n', "lengths_row", "line 2"),
    ('{"seq": 3}\n{"seq": 4\n', "json_syntax", "line 2"),
    ("count\n3\n", "lengths_columns", "there are count"),
])
def test_bad_traces(cli, tmp_path, text, code, said):
    trace = tmp_path / "trace.csv"
    trace.write_text(text)
    exit_code, out, err = cli("plan", trace)
    assert exit_code == 2 and out == "" and f"[{code}]" in err and said in err


def test_bad_arguments(cli, root, ocr, tmp_path):
    lengths = root / "examples/lengths/lengths.csv"
    for arguments, said in (
            ((lengths, "--cost", "seq*"), "dim_syntax"),
            ((lengths, "--cost", "9000-seq"), "plan_cost"),
            ((lengths, "--cost", "batch"), "batch is no symbol here; there is seq"),
            ((lengths, "--multiple-of", "x=8"), "no symbol here"),
            ((lengths, "--multiple-of", "0"), "expected NAME=N"),
            ((lengths, lengths), "the second trace"),
            ((ocr, ocr), "the second contract"),
            ((ocr, "-k", "0"), "--profiles: Value 0"),
            ((lengths, "--audit", tmp_path / "none.json"), "file_open"),
            ((tmp_path / "none.csv",), "file_open")):
        code, out, err = cli("plan", *arguments)
        assert code == 2 and out == "" and said in err, (arguments, err)
    code, _, err = cli("plan", lengths, "-o", tmp_path / "no" / "plan.json", "-q")
    assert code == 2 and "file_write" in err
