#!/usr/bin/env python3
"""Do suggested calls settle a contract? The ground truth stands in for the model.

For each variant of each recording: start from two of its calls, ask `tensorspec suggest` for the next one, let the truth answer
it (or refuse it), learn again, at most four times; then score as score.py does.

    in_the_loop.py --cli BUILD/tensorspec [--starts 4] [--at-once] [--min 0.95] RECORDING.jsonl...

--starts: the first two calls recorded, then that many less one random pairs. --at-once: obey the first four suggestions
together instead of one after another.
"""
import argparse, json, os, random, subprocess, sys, tempfile

import score

CALLS = 4


def suggestions(cli, train):
    with tempfile.TemporaryDirectory() as folder:
        recording, contract = os.path.join(folder, "r.jsonl"), os.path.join(folder, "c.json")
        with open(recording, "w") as out:
            out.writelines(json.dumps(call) + "\n" for call in train)
        score.Cli(cli).learn(recording, contract)
        run = subprocess.run([cli, "suggest", contract, "--json"], capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()]


def answer(truth, example, suggested):
    """The suggested call with the outputs that the model would give, or refused."""
    call = {"batch_size": suggested["batch_size"], "inputs": suggested["inputs"], "outputs": {}, "ok": False}
    keys = score.keys_of(example)
    shapes = {("inputs", name): tensor["shape"] for name, tensor in suggested["inputs"].items()}
    if set(shapes) != {key for key in keys if key[0] == "inputs"}:
        raise RuntimeError("other inputs than the variant has: " + json.dumps(suggested))
    known = {truth.batch: call["batch_size"]} if truth.batch and call["batch_size"] else {}
    if truth.holds(shapes, known) is not True:
        return call
    sizes = truth.solve(shapes, known)
    for name, size in sizes.items():
        limits = truth.symbols[name]
        least = 1 if limits.get("min") is None else limits["min"]
        if size < least or size > (limits.get("max") or size):
            return call
    try:
        outputs = truth.shapes([key for key in keys if key[0] == "outputs"], sizes)
    except Exception:
        return call
    if any(extent < 0 for shape in outputs.values() for extent in shape):
        return call
    for (group, name), shape in outputs.items():
        call[group][name] = {"dtype": example[group][name]["dtype"], "shape": shape}
    return call | {"ok": True}


def settled(arguments, truth, calls, start):
    """Is every test call judged right after at most four suggestions? None: the truth does not cover the variant."""
    train = [dict(call) for call in calls]
    if start:
        random.Random(start).shuffle(train)
    train, made = train[:2], 0
    while made < CALLS:
        lines = suggestions(arguments.cli, train)
        lines = lines[: CALLS - made if arguments.at_once else 1]
        if not lines:
            break
        made += len(lines)
        train += [answer(truth, calls[0], line) for line in lines]
    accepted = [call for call in train if call.get("ok", True)]
    cases = score.tests(truth, accepted, random.Random(7), 60, score.grid_of(truth, calls))
    if not cases:
        return None
    verdicts = score.Cli(arguments.cli).verdicts(train, [call for call, _ in cases])
    return all(verdict == wanted for (_, wanted), verdict in zip(cases, verdicts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--starts", type=int, default=1)
    parser.add_argument("--at-once", action="store_true")
    parser.add_argument("--min", type=float, default=0)
    parser.add_argument("recordings", nargs="+")
    arguments = parser.parse_args()
    good = total = 0
    for recording in arguments.recordings:
        truth = score.Truth(recording[: -len(".jsonl")] + ".truth.json")
        for index, calls in enumerate(score.variants(score.load(recording)).values()):
            if len(calls) < 2:
                continue
            for start in range(arguments.starts):
                right = settled(arguments, truth, calls, start)
                if right is None:
                    continue
                total += 1
                good += right
                if not right:
                    print("not settled:", recording, "variant", index, "start", start)
    print(f"after at most {CALLS} suggested calls: {good} of {total} variants at score 1.0")
    return 0 if total and good >= arguments.min * total else 1


if __name__ == "__main__":
    sys.exit(main())
