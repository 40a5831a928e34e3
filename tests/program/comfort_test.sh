#!/bin/bash
# Configuration, folders of recordings, names of results and headers in the real program:
# comfort_test.sh PROGRAM WRITE_NANO_MODEL
write_nano_model=$2
readme=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../app/options" && pwd)/README.md
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
export XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config
unset WHISPER_NPU_CONFIG
"$write_nano_model" .
mkdir -p talks/sub/deep config/whisper-npu

works() {
  "$program" "$@" >out 2>err || fail "$*: expected exit code 0, found $?: $(cat err)"
}

wav() {
  /usr/bin/python3 - "$1" <<'PY'
import math, struct, sys, wave
with wave.open(sys.argv[1], "wb") as out:
    out.setparams((1, 2, 16000, 0, "NONE", ""))
    out.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(i / 9))) for i in range(16000)))
PY
}
wav talks/b.wav
cp talks/b.wav talks/a.wav
cp talks/b.wav "talks/sub/deep/c d.WAV"
echo no >talks/notes.md
ln -s .. talks/sub/loop

# Quick options from the file, as a user has them.
cat >config/whisper-npu/config.toml <<TOML
model = "$work/model"
device = "cpu"
max-tokens = 8
temperature-increment-on-fallback = "None"
[bench]
threads = 1
TOML
expect 0 "^$work/config/whisper-npu/config.toml$" config path
expect 0 "max-tokens = 8  # $work/config/whisper-npu/config.toml:3" config show --origin
WHISPER_NPU_MAX_TOKENS=9 expect 0 'max-tokens = 9  # WHISPER_NPU_MAX_TOKENS' config show --origin
expect 0 '"schema_version": 1' config show --json
WHISPER_NPU_MAX_TOKENS=x expect 2 'found x .*; --max-tokens is from WHISPER_NPU_MAX_TOKENS' talks/a.wav
# What only the engine can tell, too, alone and in a worker process; of a model and a device as well.
WHISPER_NPU_SUPPRESS_TOKENS=9999999 expect 2 'found 9999999; --suppress-tokens is from WHISPER_NPU_SUPP' talks/a.wav
WHISPER_NPU_SUPPRESS_TOKENS=9999999 expect 2 '; --suppress-tokens is from' --isolate on talks/a.wav
WHISPER_NPU_MODEL=nowhere expect 3 'nowhere: expected a model .*; --model is from WHISPER_NPU_MODEL' talks/a.wav
sed 's/^device.*/device = "npu:9"/' config/whisper-npu/config.toml >npu.toml
expect 5 '; --device is from npu.toml:2$' --config npu.toml talks/a.wav
WHISPER_NPU_BEEM_SIZE=2 expect 0 'did you mean WHISPER_NPU_BEAM_SIZE' talks/a.wav
WHISPER_NPU_CONFIG=none.toml expect 2 'none.toml: expected a configuration file, found No such' talks/a.wav
WHISPER_NPU_CONFIG= expect 3 'tiny.en: expected a model' talks/a.wav
echo 'overwrite = true' >bad.toml
expect 2 'bad.toml:1: overwrite: is taken from the command line alone' --config bad.toml talks/a.wav
expect 0 '^whisper-npu' --version

# The file that the README shows: the indented lines from its first comment on.
sed -n '/^    # above all tables/,/^[^ ]/{s/^    //p}' "$readme" >readme.toml
grep -q '^\[models.pull\]' readme.toml || fail "app/options/README.md: expected a table [models.pull] in its example"
expect 0 '^model = .small.$' config show --config readme.toml
# Daily work goes on beside it: text, subtitles, a folder of results, another model.
readme=(--config readme.toml --model "$work/model" --device cpu --max-tokens 8)
works "${readme[@]}" talks/a.wav
works "${readme[@]}" --output daily.srt talks/a.wav
works "${readme[@]}" --format srt,json --output-dir daily talks/a.wav
[ -s daily/a.json ] || fail "app/options/README.md: expected its example to leave --format to the command line"

"$program" talks/a.wav >text 2>err || fail "options from the file: $(cat err)"
"$program" --config= --model "$work/model" --device cpu --max-tokens 8 \
  --temperature-increment-on-fallback None talks/a.wav >same || fail "the same as flags"
cmp text same || fail "options from the file and as flags: expected the same text"

# A folder, and where results go.
expect 4 'talks: expected an audio file, found a folder; --recursive takes' talks
expect 4 'config: expected a folder of recordings, found none by name' --recursive config
works --recursive --format srt,json -o results talks
(cd results && find . -type f | LC_ALL=C sort) >found
printf './a.json\n./a.srt\n./b.json\n./b.srt\n./sub/deep/c d.json\n./sub/deep/c d.srt\n' >wanted
cmp found wanted || fail "--recursive with --output-dir: found $(cat found)"
works -r --output-template '{dir}/{stem}.{lang}.{ext}' --format txt talks
# Random weights speak some language.
lang=$(basename talks/a.*.txt .txt)
lang=${lang#a.}
[[ $lang =~ ^[a-z]{2,3}$ ]] || fail "expected a language's code in the name, found $(ls talks)"
[ -s "talks/a.$lang.txt" ] && [ -e "talks/sub/deep/c d.$lang.txt" ] || fail "results beside the recordings"
expect 6 "a.$lang.txt: is there already" -r --output-template '{dir}/{stem}.{lang}.txt' talks
expect 0 'skipped' -r --skip-existing --output-template '{dir}/{stem}.{lang}.txt' talks
expect 2 'writes it too' -r --output-template '{lang}.txt' talks
expect 2 'one --format needs --beside, --output-dir or --output-template$' --format srt,json talks/a.wav
expect 2 'of more than one file needs --beside, --output-dir or --output-template$' --format srt talks/a.wav talks/b.wav
expect 0 '^whisper-npu: 3 files; 3.00 s of audio in [0-9.:]* s, [0-9.]* times real time$' -r --beside --format srt talks
[ -s talks/a.srt ] && [ -s "talks/sub/deep/c d.srt" ] || fail "--beside: expected results beside the recordings"
expect 0 '^whisper-npu: 3 files, 3 skipped$' -r --beside --format srt --skip-existing talks
expect 2 'did you mean {stem}' --output-template '{stam}' talks/a.wav

# stdin that is no recording, and a recording behind what the program alone has.
tail -c +45 talks/a.wav >samples.raw
expect 4 'raw samples need --stdin-format, as s16le:16000:1$' - <samples.raw
works --stdin-format s16le:16000:1 <samples.raw
works --json talks/a.wav
grep -q '"schema_version"' out || fail "--json talks/a.wav: expected JSON"

# Headers, from the worker process and without one.
for isolate in on off; do
  "$program" -r --isolate $isolate talks >out.txt 2>err || fail "several files: $(cat err)"
  { printf '==> talks/a.wav <==\n' && cat text && printf '\n==> talks/b.wav <==\n' && cat text &&
    printf '\n==> talks/sub/deep/c d.WAV <==\n' && cat text; } >wanted
  cmp out.txt wanted || fail "headers with --isolate $isolate: found $(cat out.txt)"
done
"$program" -r --headers off talks >out.txt
cat text text text | cmp - out.txt || fail "--headers off: expected text alone"
expect 2 '--headers on has no effect' --headers on --format json talks/a.wav

# Colours, and the same text without them: on a terminal, or where they are asked for. Control bytes, which the
# small model's text has, come to no terminal.
shown() { LC_ALL=C tr '\001-\010\013-\037\177' '[?*]'; }
shown <text >shown_text
if cmp -s text shown_text; then fail "expected a text with control bytes"; fi
"$program" --color always talks/a.wav >colored
grep -qP '\e\[38;5;[0-9]+m' colored || fail "--color always: expected colours, found $(cat colored)"
sed 's/\x1b\[[0-9;]*m//g' colored | cmp - shown_text || fail "--color always: expected the same text"
"$program" --word-timestamps True talks/a.wav | shown >words
"$program" --color always --word-timestamps True talks/a.wav | sed 's/\x1b\[[0-9;]*m//g' | cmp - words ||
  fail "--color always with words: expected the same text"
TERM=xterm "$program" talks/a.wav | cmp - text || fail "a pipe: expected no colours"
CLICOLOR_FORCE=1 "$program" talks/a.wav | cmp - colored || fail "CLICOLOR_FORCE: expected colours"
CLICOLOR_FORCE=1 "$program" --color never talks/a.wav | cmp - text || fail "--color never: expected none"
expect 2 '--color always has no effect' --color always --format srt talks/a.wav
expect 2 '--color always has no effect' --color always -o colors talks/a.wav
terminal() {  # VARIABLE=VALUE...: what a terminal gets
  COLUMNS=100000 env "$@" TERM=xterm /usr/bin/python3 - "$program" talks/a.wav <<'PY'
import os, pty, sys
pty.spawn(sys.argv[1:] + [os.environ.get("SAYS", "--quiet")], lambda end: os.read(end, 4096), lambda end: b"")
PY
}
terminal -u NO_COLOR | tr -d '\r' | cmp - colored || fail "a terminal: expected colours"
terminal NO_COLOR=1 | tr -d '\r' | cmp - shown_text || fail "NO_COLOR: expected no colours"
# A narrow one: lines end between words, here those of the times.
terminal NO_COLOR=1 SAYS=--verbose COLUMNS=20 >narrow
grep -q $'\\[00:[0-9.]* -->\r$' narrow || fail "a narrow terminal: expected lines of 20 columns, found $(cat -v narrow)"
echo "comfort: all as documented"
