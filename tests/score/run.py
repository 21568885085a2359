#!/usr/bin/env python3
"""The floors of how right learned contracts are. Prints the tables, exits 1 below any floor.

    run.py --cli BUILD/tensorspec
"""
import argparse, pathlib, subprocess, sys

HERE = pathlib.Path(__file__).parent
# What the contracts must reach, less 0.005: balanced, and accept alone, by number of calls learned from.
RECORDINGS = {2: (0.965, 0.965), 3: (0.975, 0.980), 4: (0.988, 0.990), 8: (0.992, 0.990), 12: (0.993, 0.990)}
PERFECT = 36
CASES = 0.985
IN_THE_LOOP = 0.95


def table(output):
    """{N: (accept, refuse, balanced, perfect)} of what score.py prints."""
    rows = [line.split() for line in output.splitlines() if line[:3].strip().isdigit()]
    return {int(row[0]): (*map(float, row[2:5]), int(row[5].split("/")[0])) for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    cli = parser.parse_args().cli
    recordings = sorted(str(path) for path in (HERE / "recordings").rglob("*.jsonl"))
    cases = sorted(str(path) for path in (HERE / "cases").glob("*.jsonl"))
    below = []

    def run(what, script, *arguments):
        print(what, flush=True)
        done = subprocess.run([sys.executable, HERE / script, "--cli", cli, *arguments], capture_output=True, text=True)
        print(done.stdout + done.stderr, flush=True)
        return done

    def hold(what, figure, floor):
        if figure < floor:
            below.append(f"{what}: {figure}, at least {floor}")

    numbers = ",".join(map(str, RECORDINGS))
    for what, extra in (("recordings of real models", []), ("the same, batch sizes not told", ["--no-batch"])):
        rows = table(run(what, "score.py", "--seeds", "5", "--n", numbers, *extra, *recordings).stdout)
        for n, (balanced, accept) in RECORDINGS.items():
            hold(f"{what}, {n} calls, accept", rows[n][0], accept - (0.01 if extra else 0))
            hold(f"{what}, {n} calls, balanced", rows[n][2], balanced - (0.01 if extra else 0))
        if not extra:
            hold("perfect variants", rows[12][3], PERFECT)
    rows = table(run("cases from public reports", "score.py", "--seeds", "5", "--n", "8", *cases).stdout)
    hold("cases, 8 calls, balanced", rows[8][2], CASES)
    for what, script, *arguments in (
        ("labelled calls of the cases", "score.py", "--checks", *cases),
        ("suggestions obeyed one by one", "in_the_loop.py", "--starts", "2", "--min", str(IN_THE_LOOP), *recordings),
        ("suggestions obeyed at once", "in_the_loop.py", "--at-once", "--min", str(IN_THE_LOOP), *recordings),
    ):
        if run(what, script, *arguments).returncode != 0:
            below.append(what)
    for line in below:
        print("below its floor:", line)
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
