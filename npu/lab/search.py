#!/usr/bin/env python3
"""search.py --size base --latency-ms 60 --memory-mb 40: smaller encoders that the array would run within limits.

An encoder has fewer layers, heads, hidden columns, positions or bits than Whisper's of that size; states keep their
width, and layers are of at most two kinds. Compared are the time of a window's layers (a call each, launch included,
modelled: the bound of `whisper-npu npu predict`, or fit.py's predictor), the bytes that a device holds for them, and
the share of multiply-adds that is gone, those of int8 counted as halves. None of it says how such an encoder hears: it
would have to be trained.

optuna's NSGA-II or TPE chooses what is looked at, the same for the same seed. Of what nothing beats --members are
checked and simulated. Exit code 1 where nothing meets the limits.
"""
import argparse
import json
import pathlib
import sys

import optuna

from designs import FRAMES, SIZES, Answers

HEAD = 64  # columns
REFUSED = 1e6  # violation of what the array cannot run
KINDS = 2  # of layers
SUGGESTIONS = 20  # for each evaluation, until the space counts as seen


def eighths(whole, unit):
    return sorted({max(1, whole // unit * eighth // 8) * unit for eighth in range(1, 9)}, reverse=True)


class Space:
    """Encoders as (pooling, layers), a layer as (heads, hidden, precision). To the array layers of one shape are the
    same wherever they stand, so that they are sorted."""

    def __init__(self, size, poolings, least_layers):
        self.width, heads, self.layers = SIZES[size]
        self.poolings, self.least_layers = poolings, least_layers
        self.heads, self.hidden = eighths(heads, 1), eighths(4 * self.width, HEAD)
        self.precisions = ["bf16", "int8"] if self.width % 128 == 0 else ["bf16"]
        self.whole = 1, ((self.heads[0], self.hidden[0], "bf16"),) * self.layers

    def suggest(self, trial):
        def one_of(name, values):
            return values[trial.suggest_int(name, 0, len(values) - 1)]

        pooling = trial.suggest_categorical("pooling", self.poolings)
        layers = []
        for i in range(KINDS):
            kind = (one_of(f"heads{i}", self.heads), one_of(f"hidden{i}", self.hidden),
                    trial.suggest_categorical(f"precision{i}", self.precisions))
            least = self.least_layers if i == 0 else 0
            layers += [kind] * trial.suggest_int(f"layers{i}", least, self.layers)
        return pooling, tuple(sorted(layers[:self.layers], reverse=True))

    def design(self, pooling, layer):
        heads, hidden, precision = layer
        return {"precision": precision, "shape": {"frames": (FRAMES + pooling - 1) // pooling, "width": self.width,
                                                  "heads": heads, "hidden": hidden}}

    def kept(self, encoder):
        """Share of the whole encoder's multiply-adds; qkv and up are what int8 is for."""
        return self.work(*encoder) / self.work(*self.whole)

    def work(self, pooling, layers):
        frames, work = (FRAMES + pooling - 1) // pooling, 0
        for heads, hidden, precision in layers:
            of_int8 = frames * self.width * (3 * HEAD * heads + hidden)
            of_bf16 = frames * (self.width * (HEAD * heads + hidden) + 2 * frames * HEAD * heads)
            work += of_int8 * (0.5 if precision == "int8" else 1) + of_bf16
        return work


class Costs:
    """Costs of encoders: (ms, MB, share gone) of a window's layers, or None where the array cannot run one."""

    def __init__(self, space, answers, ms_of):
        self.space, self.answers, self.ms_of = space, answers, ms_of
        self.known = {}  # (pooling, layer) -> answer

    def layer(self, pooling, layer):
        if (pooling, layer) not in self.known:
            self.known[pooling, layer] = self.answers.ask([self.space.design(pooling, layer)])[0]
        return self.known[pooling, layer]

    def of(self, encoder):
        pooling, layers = encoder
        answers = [self.layer(pooling, layer) for layer in layers]
        if not all(answer["fits"] for answer in answers):
            return None
        programs = {layer: answer["profile"]["program_bytes"] for layer, answer in zip(layers, answers) if "profile" in answer}
        memory = (sum(answer["weights_bytes"] for answer in answers) + max(answer["scratch_bytes"] for answer in answers)
                  + 2 * answers[0]["states_bytes"] + sum(programs.values()))
        return sum(map(self.ms_of, answers)), memory / 1e6, 1 - self.space.kept(encoder)


def missed(cost, limits):
    """How far a cost is beyond the limits, as a share of them; 0: it meets them."""
    return REFUSED if cost is None else sum(max(0, value / most - 1) for value, most in zip(cost, limits) if most)


def look(space, costs, limits, sampler, evaluations):
    """Encoders that were looked at, each with its cost."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(directions=["minimize"] * 3, sampler=sampler)
    seen = {}
    for _ in range(SUGGESTIONS * evaluations):
        if len(seen) >= evaluations:
            break
        trial = study.ask()
        encoder = space.suggest(trial)
        seen[encoder] = cost = costs.of(encoder)
        trial.set_constraint("limits", missed(cost, limits))
        study.tell(trial, cost or [REFUSED] * 3)
    return seen


def sampler_of(method, seed):
    if method == "nsga2":
        return optuna.samplers.NSGAIISampler(population_size=20, seed=seed)
    return {"tpe": optuna.samplers.TPESampler, "random": optuna.samplers.RandomSampler}[method](seed=seed)


def front_of(costs):
    """The encoders that no other beats, fastest first."""
    def beats(one, other):
        return one != other and all(a <= b for a, b in zip(one, other))

    front = [e for e, cost in costs.items() if not any(beats(other, cost) for other in costs.values())]
    return sorted(front, key=lambda encoder: costs[encoder])


def spread(front, n):
    """At most n of the front, the first and the last among them."""
    if len(front) <= n:
        return front
    return [front[round(i * (len(front) - 1) / max(1, n - 1))] for i in range(n)]


def hypervolume(costs, worst):
    """Volume that three costs dominate below `worst`."""
    def area(points):
        total, top = 0, worst[1]
        for x, y in sorted(points):
            if y < top:
                total, top = total + (worst[0] - x) * (top - y), y
        return total

    points = sorted((cost for cost in costs if all(c < w for c, w in zip(cost, worst))), key=lambda cost: cost[2])
    depths = [cost[2] for cost in points[1:]] + [worst[2]]
    return sum(area([p[:2] for p in points[:i + 1]]) * (depth - points[i][2]) for i, depth in enumerate(depths[:len(points)]))


def settle(within, n, simulated, checks, limits):
    """At most n of what nothing beats, simulated and checked: those that still are, and why others are not."""
    dropped = {}

    def reason(encoder):
        problems = [p for layer in set(encoder[1]) for p in checks.layer(encoder[0], layer)["problems"]]
        if problems or missed(simulated.of(encoder), limits):
            return problems or ["over a limit once it is simulated"]
        return None

    while True:
        chosen = spread(front_of({e: cost for e, cost in within.items() if e not in dropped}), n)
        refused = {encoder: why for encoder in chosen if (why := reason(encoder))}
        if not refused:
            break
        dropped.update(refused)
    members = {encoder: simulated.of(encoder) for encoder in chosen}
    front = front_of(members)
    dropped.update({e: ["beaten by another once both are simulated"] for e in chosen if e not in front})
    return {encoder: members[encoder] for encoder in front}, dropped


def text_of(encoder):
    pooling, layers = encoder
    kinds = [f"{layers.count(kind)} x ({kind[0]} heads, hidden {kind[1]}, {kind[2]})" for kind in sorted(set(layers), reverse=True)]
    return f"pooling {pooling}, " + ", ".join(kinds)


def row_of(encoder, cost):
    pooling, layers = encoder
    return {"simulated_ms": cost[0], "memory_mb": cost[1], "kept": 1 - cost[2], "pooling": pooling,
            "layers": [{"heads": heads, "hidden": hidden, "precision": precision} for heads, hidden, precision in layers]}


def report_text(report, members):
    lines = [f"{report['size']}, {report['preset']}: all modelled, nothing was run on an NPU",
             f"{report['looked_at']} encoders looked at by {report['method']}, seed {report['seed']}; {report['within']} meet the "
             f"limits, hypervolume {report['hypervolume']:.4g}", "        ms        MB    kept"]
    lines += [f"{cost[0]:10.3f}{cost[1]:10.2f}{100 * (1 - cost[2]):6.1f} %  {text_of(encoder)}" for encoder, cost in members]
    lines += [f"dropped: {each['encoder']}: {each['reason']}" for each in report["dropped"]]
    return "\n".join(lines)


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="whisper-npu")
    parser.add_argument("--size", choices=SIZES, default="base")
    parser.add_argument("--npu-preset", default="phoenix-1.0/published", help="whose times are modelled: CLOCK/KERNELS")
    parser.add_argument("--latency-ms", type=float, help="the most that a window's layers may take")
    parser.add_argument("--memory-mb", type=float, help="the most that a device may hold for them, 1e6 bytes")
    parser.add_argument("--pooling", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2],
                        help="neighbouring positions that may become one, 1 among them")
    parser.add_argument("--least-layers", type=int, default=1)
    parser.add_argument("--method", choices=["nsga2", "tpe", "random"], default="nsga2")
    parser.add_argument("--evaluations", type=int, default=300, help="encoders that are looked at")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--predictor", type=pathlib.Path, help="a predictor that fit.py wrote, in the place of the bound")
    parser.add_argument("--members", type=int, default=12, help="of what nothing beats, the most that are simulated")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if not 1 <= args.least_layers <= SIZES[args.size][2] or min(args.pooling) < 1 or args.evaluations < 1:
        parser.error(f"expected 1 to {SIZES[args.size][2]} least layers, poolings and evaluations from 1")
    return args


def main():
    args = parse_args()
    space, limits = Space(args.size, args.pooling, args.least_layers), (args.latency_ms, args.memory_mb)
    ms_of = (lambda answer: answer["bound_ms"])
    if args.predictor:
        from fit import load
        ms_of = load(args.predictor)
    words = ["--npu-preset", args.npu_preset]
    with Answers(args.program, "predict", *words) as bounds, \
            Answers(args.program, "predict", "--simulate", *words) as simulator, Answers(args.program, "check") as checker:
        costs = Costs(space, bounds, ms_of)
        seen = look(space, costs, limits, sampler_of(args.method, args.seed), args.evaluations)
        within = {encoder: cost for encoder, cost in seen.items() if missed(cost, limits) == 0}
        worst = [limit or value for limit, value in zip((*limits, 1), costs.of(space.whole))]
        simulated = Costs(space, simulator, lambda answer: answer["simulated_ms"])
        members, dropped = settle(within, args.members, simulated, Costs(space, checker, None), limits)
    report = {"kind": "modelled", "size": args.size, "preset": args.npu_preset, "method": args.method, "seed": args.seed,
              "looked_at": len(seen), "within": len(within), "hypervolume": hypervolume(within.values(), worst),
              "front": [row_of(*each) for each in members.items()],
              "dropped": [{"encoder": text_of(encoder), "reason": "; ".join(reasons)} for encoder, reasons in dropped.items()]}
    print(json.dumps(report) if args.json else report_text(report, members.items()))
    if members:
        return 0
    nearest = min((encoder for encoder in seen if seen[encoder]), key=lambda e: missed(seen[e], limits), default=None)
    print("search.py: nothing that was looked at meets the limits"
          + (f"; the nearest takes {seen[nearest][0]:.3f} ms and {seen[nearest][1]:.2f} MB: {text_of(nearest)}" if nearest else ""),
          file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
