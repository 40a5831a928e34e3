#!/usr/bin/env python3
"""fit.py -o learned.joblib: a predictor of the simulator's time, learned from calls that it has simulated.

It fits our simulator, which was never compared with silicon: where the simulator is wrong, so is the predictor.
scikit-learn's gradient boosting learns how much longer than its bound a random layer's plan takes, from the parts of the
bound that `whisper-npu npu predict` answers. Every fifth plan is held out; the errors on those are printed. search.py
takes the file as --predictor; it is a pickle, so load none of strangers.
"""
import argparse
import math
import random
import sys

import joblib
import numpy
from sklearn.ensemble import GradientBoostingRegressor

from designs import FRAMES, SIZES, Answers, add_output, require_free
from tune import CHOICES, design_of

PARTS = ["cores", "busy", "streams", "ddr_read", "ddr_write", "start", "controller", "barriers", "tasks"]
CLOCKS = ["phoenix-1.0", "hawk-1.6"]
TABLES = ["published", "counted"]


def random_design(chance):
    """A layer of any shape, tuning, cut, clock and kernel table; half are of Whisper's sizes. It may not fit."""
    heads, frames, hidden = chance.randint(1, 20), chance.randint(1, 1536), 64 * chance.randint(1, 40)
    if chance.random() < 0.5:
        width, heads, _ = chance.choice(list(SIZES.values()))
        frames, hidden = FRAMES, 4 * width
    plan = {name: chance.choice(values) if chance.random() < 0.5 else values[0] for name, values in CHOICES.items()}
    precision = "int8" if heads % 2 == 0 and chance.random() < 0.25 else "bf16"
    return {"precision": precision, "preset": f"{chance.choice(CLOCKS)}/{chance.choice(TABLES)}",
            "shape": {"frames": frames, "width": 64 * heads, "heads": heads, "hidden": hidden}, **design_of(plan)}


def features(answer):
    """Parts of the bound as shares of it, its length, and the number of calls."""
    bound = sum(call["bound"] for call in answer["calls"])
    return [math.log(bound), len(answer["calls"]),
            *(sum(call[part] for call in answer["calls"]) / bound for part in PARTS)]


def load(path):
    """A function from an answer of `npu predict` to learned milliseconds, never below the bound."""
    model = joblib.load(path)
    return lambda answer: answer["bound_ms"] * math.exp(max(0, model.predict([features(answer)])[0]))


def error_text(name, predicted, simulated):
    errors = numpy.abs(predicted / simulated - 1)
    return f"{name}: mean error {100 * errors.mean():.1f} %, 95 % within {100 * numpy.quantile(errors, 0.95):.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="whisper-npu")
    parser.add_argument("--plans", type=int, default=1000, help="that are simulated")
    parser.add_argument("--seed", type=int, default=24)
    add_output(parser, "file for the predictor")
    args = parser.parse_args()
    require_free(args)
    if args.plans < 10:
        parser.error("--plans: expected at least 10")
    chance, answers = random.Random(args.seed), []
    with Answers(args.program, "predict", "--simulate") as simulator:
        while len(answers) < args.plans:
            answers += [a for a in simulator.ask([random_design(chance) for _ in range(8)]) if a["fits"]]
    answers = answers[:args.plans]
    bound = numpy.array([answer["bound_ms"] for answer in answers])
    simulated = numpy.array([answer["simulated_ms"] for answer in answers])
    table, held_out = numpy.array([features(answer) for answer in answers]), numpy.arange(len(answers)) % 5 == 0
    model = GradientBoostingRegressor(n_estimators=300, learning_rate=0.05, max_depth=4, subsample=0.5, random_state=args.seed)
    model.fit(table[~held_out], numpy.log(simulated / bound)[~held_out])
    learned = bound * numpy.exp(numpy.maximum(0, model.predict(table)))
    print(f"{sum(~held_out)} simulated plans fitted, {sum(held_out)} held out; errors against the simulator, not silicon")
    print(error_text("analytical", bound[held_out], simulated[held_out]))
    print(error_text("learned", learned[held_out], simulated[held_out]))
    if args.output:
        joblib.dump(model, args.output)


if __name__ == "__main__":
    sys.exit(main())
