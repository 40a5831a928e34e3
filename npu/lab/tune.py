#!/usr/bin/env python3
"""tune.py --size base -o base.plan: a better plan of a layer, by the time model of `whisper-npu npu predict`.

A plan is the layer's tuning (npu/design/layer_tuning.h) and its cut into calls. `climb` goes from the plan by
hand to a better one that differs in one choice, then does so again from the best with some choices changed by chance,
and simulates only what the analytical bound does not prove worse; `tpe` (optuna) and `random` simulate what they
suggest. The best has passed `npu check`. All modelled.
"""
import argparse
import json
import random
import sys

from designs import SIZES, Answers, add_output, require_free

OPS = ["norm1", "qkv", "attend", "out", "norm2", "up", "down"]
CUTS = OPS[1:]  # a call may begin with each
# The choice by hand comes first. Half heads as tiles of qkv are not among them: they are written to DDR in short runs,
# which the time model counts as long ones.
CHOICES = {"state_tile": [0, 48, 40, 32, 16], "norm_rows": [0, 2, 4, 8, 16], "qkv_row_blocks": [1, 2, 3, 6],
           "a_slots": [4, 2, 6], "b_slots": [4, 2, 6], "state_panels": [2, 1], "keeps_hidden": [True, False],
           "attends_padding": [True, False], "broadcasts_keys": [True, False], **{op: [False, True] for op in CUTS}}
BY_HAND = {name: values[0] for name, values in CHOICES.items()}
JUMP = 4  # choices
SUGGESTIONS = 20  # for each evaluation, until the space counts as seen


def calls_of(plan):
    calls = [["norm1", "norm1"]]
    for op in CUTS:
        if plan[op]:
            calls.append([op, op])
        calls[-1][1] = op
    return calls


def design_of(plan):
    return {"tuning": {name: value for name, value in plan.items() if name not in CUTS}, "calls": calls_of(plan)}


def key_of(plan):
    return tuple(plan[name] for name in CHOICES)


def neighbours(plan):
    """All plans that differ from this one in one choice."""
    return [{**plan, name: value} for name, values in CHOICES.items() for value in values if value != plan[name]]


class Tuning:
    """Plans that were simulated, and their scores: the objective first, then the other of time and bytes."""

    def __init__(self, args, bounds, simulated):
        self.args, self.bounds, self.simulated = args, bounds, simulated
        self.known = {}  # key -> answer of the simulator
        self.bounded = {}  # key -> answer of the bound
        self.best = None
        self.simulate(BY_HAND)

    def score(self, answer, time="simulated_ms"):
        if not answer["fits"]:
            return float("inf"), float("inf")
        both = answer[time], answer["ddr_bytes"]
        return both if self.args.objective == "time" else both[::-1]

    def has_room(self):
        return len(self.known) < self.args.evaluations

    def simulate(self, plan):
        key = key_of(plan)
        if key not in self.known:
            self.known[key] = self.simulated.ask([design_of(plan)])[0]
            if self.best is None or self.score(self.known[key]) < self.score(self.known[key_of(self.best)]):
                self.best = plan
        return self.score(self.known[key])

    def bounds_of(self, plans):
        new = [plan for plan in plans if key_of(plan) not in self.bounded]
        self.bounded.update(zip(map(key_of, new), self.bounds.ask([design_of(plan) for plan in new])))
        return [self.score(self.bounded[key_of(plan)], "bound_ms") for plan in plans]

    def descend(self, plan):
        """From one plan to a better one that differs in one choice, until none is. What the bound proves no better
        than the best is not simulated."""
        is_better = True
        while is_better and self.has_room():
            now, is_better = self.simulate(plan), False
            plans = neighbours(plan)
            for bound, other in sorted(zip(self.bounds_of(plans), plans), key=lambda pair: pair[0]):
                if bound >= self.simulate(self.best) or not self.has_room():
                    break
                if self.simulate(other) < now:
                    plan, is_better = other, True
                    break

    def climb(self):
        """From the plan by hand, then from the best with a few choices made by chance."""
        chance = random.Random(self.args.seed)
        self.descend(BY_HAND)
        for _ in range(SUGGESTIONS * self.args.evaluations):
            if not self.has_room():
                break
            start = self.best | {name: chance.choice(CHOICES[name]) for name in chance.sample(list(CHOICES), JUMP)}
            if self.bounds_of([start])[0] < self.simulate(self.best):
                self.descend(start)

    def sample(self, sampler):
        import optuna
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        study = optuna.create_study(sampler=sampler(optuna)(seed=self.args.seed))
        study.enqueue_trial(BY_HAND)
        for _ in range(SUGGESTIONS * self.args.evaluations):
            if not self.has_room():
                break
            trial = study.ask()
            score = self.simulate({name: trial.suggest_categorical(name, values) for name, values in CHOICES.items()})
            study.tell(trial, *((score[0],) if score[0] < float("inf") else (None, optuna.trial.TrialState.FAIL)))

    def run(self):
        if self.args.method == "climb":
            self.climb()
        else:
            self.sample(lambda optuna: {"tpe": optuna.samplers.TPESampler,
                                        "random": optuna.samplers.RandomSampler}[self.args.method])

    def checked_best(self, checks):
        """The best that passes check, and check's answer."""
        for key in sorted((key for key in self.known if self.known[key]["fits"]), key=lambda k: self.score(self.known[k])):
            plan = dict(zip(CHOICES, key))
            answer = checks.ask([design_of(plan)])[0]
            if answer["fits"]:
                return plan, answer
        raise SystemExit("tune.py: the array cannot run the plan by hand")


def text_of(name, value):
    return "by rule" if value == 0 and name in ("state_tile", "norm_rows") else str(value)


def changes_of(tuning, plan):
    """Choices that are not those by hand, and the layer's time with each alone taken back."""
    names = [name for name in CHOICES if plan[name] != BY_HAND[name]]
    answers = tuning.simulated.ask([design_of({**plan, name: BY_HAND[name]}) for name in names])
    return [{"choice": f"a call begins with {name}" if name in CUTS else name,
             "by_hand": text_of(name, BY_HAND[name]), "found": text_of(name, plan[name]),
             "layer_ms_without": answer.get("simulated_ms")} for name, answer in zip(names, answers)]


def profile_text(answer):
    lines = ["  operation        busy   waits: A          B          C"]
    for operation in answer["profile"]["operations"]:
        parts = "".join(f"{operation[part]:11.3f}" for part in ("busy_ms", "waiting_a_ms", "waiting_b_ms", "waiting_c_ms"))
        lines.append(f"  {operation['name']:10}{parts}")
    roofline = ", ".join(f"{name[:-3].replace('_', ' ')} {ms:.3f}" for name, ms in answer["profile"]["roofline"].items())
    return "\n".join([*lines, f"  each alone: {roofline}"])


def report_text(report):
    def line(name):
        answer = report[name]
        return (f"{name.replace('_', ' ')}: {answer['simulated_ms']:.3f} ms a layer, {answer['ddr_bytes'] / 1e6:.1f} MB of DDR, "
                f"bound {answer['bound_ms']:.3f} ms")

    changes = [f"  {c['choice']}: {c['by_hand']} -> {c['found']}, without it "
               + ("cannot run" if c["layer_ms_without"] is None else f"{c['layer_ms_without']:.3f} ms")
               for c in report["changes"]] or ["  the plan by hand is kept"]
    return "\n".join([
        f"{report['layer']}, {report['found']['preset']}, objective {report['objective']}: all modelled, nothing was run "
        "on an NPU", line("by_hand"), line("found"), *changes,
        f"{report['simulated']} plans simulated by {report['method']}",
        "milliseconds of an average core, by hand:", profile_text(report["by_hand"]), "found:",
        profile_text(report["found"])])


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="whisper-npu")
    parser.add_argument("--size", choices=SIZES, default="base")
    parser.add_argument("--precision", choices=["bf16", "int8"], default="bf16")
    parser.add_argument("--npu-preset", help="whose times are modelled: CLOCK/KERNELS")
    parser.add_argument("--kernel-table", help="what npu first-light measured, in the place of the preset")
    parser.add_argument("--objective", choices=["time", "ddr"], default="time")
    parser.add_argument("--method", choices=["climb", "tpe", "random"], default="climb")
    parser.add_argument("--evaluations", type=int, default=200, help="plans that are simulated, at most")
    parser.add_argument("--seed", type=int, default=1, help="of chance")
    add_output(parser, "file for the plan, which transcribe and bench take as --npu-plan-file and npu emit as --plan-file")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main():
    args = parse_args()
    require_free(args)
    layer = ["--size", args.size, "--precision", args.precision]
    times = [word for name in ("npu_preset", "kernel_table") if getattr(args, name)
             for word in (f"--{name.replace('_', '-')}", getattr(args, name))]
    with Answers(args.program, "predict", *layer, *times) as bounds, \
            Answers(args.program, "predict", "--simulate", *layer, *times) as simulated, \
            Answers(args.program, "check", *layer) as checks:
        tuning = Tuning(args, bounds, simulated)
        tuning.run()
        plan, checked = tuning.checked_best(checks)
        report = {"kind": "modelled", "layer": f"{args.size}, {args.precision}", "objective": args.objective,
                  "method": args.method, "simulated": len(tuning.known), "by_hand": tuning.known[key_of(BY_HAND)],
                  "found": tuning.known[key_of(plan)], "changes": changes_of(tuning, plan)}
    if args.output:
        found = report["found"]
        modelled = {"preset": found["preset"], "objective": args.objective, "layer_ms": found["simulated_ms"],
                    "by_hand_ms": report["by_hand"]["simulated_ms"], "ddr_bytes": found["ddr_bytes"]}
        args.output.write_text(json.dumps({**checked["plan"], "modelled": modelled}, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(report) if args.json else report_text(report))


if __name__ == "__main__":
    sys.exit(main())
