#!/bin/bash
# The contract of the command line on the real program: exit codes, and which stream gets what.
# Needs no weights but its own. ctest runs it: cli_test.sh PROGRAM WRITE_NANO_MODEL
set -u
program=$1
write_nano_model=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache
failures=0

fail() {
  echo "FAILED: $1"
  echo "  stdout: $(head -c 300 "$work/out")"
  echo "  stderr: $(head -c 300 "$work/err")"
  failures=$((failures + 1))
}

# expect CODE REGEX_OF_STDERR ARGUMENTS...: that exit code, one such line on stderr, an empty stdout.
expect() {
  local code=$1 message=$2
  shift 2
  "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
  local found=$?
  [ $found -eq "$code" ] || fail "$*: expected exit code $code, found $found"
  [ ! -s "$work/out" ] || fail "$*: expected nothing on stdout"
  [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$*: expected one line on stderr"
  grep -qE "^whisper-npu: .*$message" "$work/err" || fail "$*: expected on stderr: $message"
}

# prints REGEX ARGUMENTS...: exit code 0, that on stdout, an empty stderr.
prints() {
  local message=$1
  shift
  "$program" "$@" >"$work/out" 2>"$work/err" </dev/null || fail "$*: expected exit code 0"
  [ ! -s "$work/err" ] || fail "$*: expected nothing on stderr"
  grep -qE -e "$message" "$work/out" || fail "$*: expected on stdout: $message"
}

touch "$work/empty.wav"
echo text >"$work/text_as_model"

prints '^whisper-npu [0-9]+\.[0-9]+\.[0-9]+ \(' --version
prints '"schema_version": 1' --version --json
prints '"isa": "[A-Z]' --version --json
prints 'WNPU_ISA' --help
prints 'transcribe' --help
prints '--skip-existing' transcribe --help

# No library comes from the working directory: there, each of them is a file that is none.
mkdir "$work/decoys"
LD_TRACE_LOADED_OBJECTS=1 "$program" | awk '/=> \// { print $1 }' | (cd "$work/decoys" && xargs touch)
(cd "$work/decoys" && ls libstdc++.so.* && "$program" --version) >"$work/out" 2>"$work/err" ||
  fail "--version beside files with libraries' names: expected exit code 0"

prints '--against' bench --help
prints '--batch-size' bench --help

isa=$(python3 "$(dirname "${BASH_SOURCE[0]}")/plainest_isa.py" "$program")
WNPU_ISA=${isa,,} prints "\"isa\": \"$isa\"" --version --json
WNPU_ISA= prints '^whisper-npu' --version
WNPU_ISA=avx9 expect 2 "WNPU_ISA: expected one of .*${isa,,}, .*found avx9" --version

expect 2 'expected a file, - for stdin, or a command: transcribe or bench or models or quantize or npu or plan or stream or worker or serve or align or subtitles or speakers or devices or doctor'
expect 2 'files is required' transcribe
expect 2 '--wrong: there is no such option' transcribe --wrong a.wav
expect 2 '--model' transcribe a.wav --model
expect 2 'expected one of all, text.*found xml' transcribe --format xml a.wav
expect 2 'klingon' transcribe --language klingon a.wav
expect 2 'output-dir' transcribe --format srt,vtt a.wav
expect 2 'writes it too' transcribe --output-dir "$work" x/a.wav y/a.wav
expect 3 "tiny.en: expected a model .*found nothing" transcribe --device cpu "$work/empty.wav"
expect 3 'none: expected a model' transcribe --device cpu --model ./none "$work/empty.wav"
expect 4 'missing.wav: expected an audio file, found No such file' \
  transcribe --device cpu --model "$work/text_as_model" "$work/missing.wav"
expect 4 'found a folder' transcribe --device cpu --model "$work/text_as_model" "$work"
cd "$work" || exit 1
expect 4 'missing.wav: expected an audio file' \
  transcribe --device cpu --model "$work/text_as_model" --output new.txt missing.wav
cd "$OLDPWD" || exit 1
expect 6 'none: expected a folder' transcribe --output "$work/none/a.txt" "$work/empty.wav"
touch "$work/empty.json"
expect 6 'is there already' transcribe --output-dir "$work" --format json "$work/a/empty.mp3"
# A run that begins as usual says nothing of devices; a simulated one says so, unless quiet.
expect 4 'missing.wav: expected an audio file' transcribe --dry-run "$work/missing.wav"
"$program" transcribe --dry-run --device sim "$work/missing.wav" 2>&1 | grep -q simulated ||
  fail "--device sim: expected a word of simulation on stderr"
expect 4 'missing.wav: expected' transcribe --quiet --dry-run --device sim "$work/missing.wav"

# A library of FFmpeg's that is missing, here one that is no library, is named, with its package.
mkdir "$work/libraries"
for major in 58 59 60 61 62 63; do echo none >"$work/libraries/libavformat.so.$major"; done
LD_LIBRARY_PATH=$work/libraries expect 8 "libavformat.so.*Debian's package: libavformat[0-9]+" \
  transcribe --dry-run "$work/text_as_model"
# A file that only FFmpeg could tell to be a recording is not replaced where FFmpeg is missing; a text is.
python3 -c 'import sys, wave
with wave.open(sys.argv[1], "wb") as out:
    out.setparams((1, 2, 16000, 0, "NONE", ""))
    out.writeframes(bytes(3200))' "$work/short.wav"
replace=(transcribe --device cpu --model "$work/none" --overwrite --output "$work/tone.txt" "$work/short.wav")
for bytes in 'fLaC\x00\x00\x00\x22' '\xff\xfb\x90\x64'; do
  printf "$bytes" >"$work/tone.txt"
  LD_LIBRARY_PATH=$work/libraries expect 6 'tone.txt: expected a place for a result, found what may be audio .*libavformat' "${replace[@]}"
done
echo 'Zwölf Böen, 東京' >"$work/tone.txt"
LD_LIBRARY_PATH=$work/libraries expect 3 'none: expected a model' "${replace[@]}"

# Models are never sought in the working directory.
mkdir -p "$work/here/.cache/whisper-npu/planted"
(cd "$work/here" && unset HOME XDG_CACHE_HOME && prints '"model_folder": "/' --version --json
 HOME= XDG_CACHE_HOME=.cache prints '"model_folder": "/' --version --json
 exit $failures) || failures=$((failures + 1))
nobody="setpriv --reuid=4242424 --regid=4242424 --clear-groups env -u HOME -u XDG_CACHE_HOME"
chmod 755 "$work"
if $nobody "$program" --version >"$work/out" 2>&1; then
  $nobody "$program" transcribe --model planted "$work/empty.wav" >"$work/out" 2>"$work/err"
  [ $? -eq 3 ] || fail "no home: expected exit code 3"
  grep -q 'found neither XDG_CACHE_HOME, nor HOME, nor a home' "$work/err" || fail "no home: $(cat "$work/err")"
else
  echo "SKIP: a user without a home needs root and setpriv"
fi

# The bar keeps within the terminal's width.
long=$work/$(printf 'x%.0s' {1..60}).wav
cp "$work/text_as_model" "$long"
python3 -c '
import fcntl, os, pty, re, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], [sys.argv[1], "transcribe", "--dry-run", sys.argv[2]])
data = b""
try:
    while block := os.read(terminal, 4096):
        data += block
except OSError:
    pass  # the terminal is closed
os.waitpid(child, 0)
bars = re.findall(rb"\r\x1b\[K(x+ [^\r\n]*)", data)
sys.exit(not bars or max(map(len, bars)) >= 30)
' "$program" "$long" || fail "the bar on a terminal of 30 columns is too wide, or not there"

[ -e /dev/accel/accel0 ] ||
  expect 5 'npu: no /dev/accel/accel0' transcribe --device npu "$work/empty.wav"

# With a small model and a recording: where a result may go, and where not.
nano=$work/nano
mkdir "$nano"
"$write_nano_model" "$nano"
tone=$nano/tone.wav
quick=(--device cpu --precision fp32 --model "$nano/model" --language en --beam-size 1
  --temperature-increment-on-fallback None)

# A file, or an option of transcribe, may come first.
"$program" transcribe "${quick[@]}" "$tone" >"$work/named" 2>/dev/null || fail "transcribe: expected exit code 0"
for words in first last; do
  line=("${quick[@]}" "$tone")
  [ $words = first ] || line=("$tone" "${quick[@]}")
  "$program" "${line[@]}" >"$work/out" 2>"$work/err" || fail "$words: expected exit code 0"
  cmp -s "$work/named" "$work/out" || fail "$words: expected what transcribe prints"
done
expect 2 'transcibe: there is no such command, and no such file; did you mean transcribe\?' transcibe "$tone"
expect 2 '--batchsize: there is no such option; did you mean --batch-size\?' --batchsize 4 "$tone"
expect 2 'did you mean --best-of\?' transcribe --bestof 4 "$tone"
expect 2 'npu predic: there is no such action; did you mean predict\?' npu predic
expect 2 'germn is no language Whisper knows; did you mean german\?' --language germn "$tone"
mkdir -p "$work/cache/whisper-npu/tiny.en" && touch "$work/cache/whisper-npu/tiny.en/model.bin"
expect 3 'found tiny.en; did you mean tiny.en\?' --model tiny-en "$tone"
rm -r "$work/cache/whisper-npu/tiny.en"

# A recording is no place for a result, by whatever name and with whatever option.
victim=$work/victim.wav
cp "$tone" "$victim"
ln -s victim.wav "$work/link.txt"
ln "$victim" "$work/hard.srt"
cp "$tone" "$work/tone.json"
for place in "$victim" "$work/link.txt" "$work/hard.srt"; do
  expect 6 'found audio, which no result replaces' \
    transcribe "${quick[@]}" --overwrite --output "$place" "$tone"
  expect 2 'it is an input' transcribe "${quick[@]}" --overwrite --output "$place" "$victim"
done
expect 6 'found audio' transcribe "${quick[@]}" --overwrite -o "$work" "$tone"
expect 2 'output: expected a value' \
  transcribe "${quick[@]}" --overwrite --output= "$victim" "$tone"
expect 2 'initial-prompt: expected a value, found --' \
  transcribe "${quick[@]}" --initial-prompt -- "$tone"
cmp -s "$tone" "$victim" || fail "a recording was replaced"
cmp -s "$tone" "$work/tone.json" || fail "a recording with another name was replaced"
"$program" transcribe "${quick[@]}" "$victim" 1<>"$victim" 2>"$work/err"
[ $? -eq 2 ] || fail "stdout is the input: expected exit code 2"
"$program" transcribe "${quick[@]}" "$tone" 1<>"$victim" 2>"$work/err"
[ $? -eq 6 ] || fail "stdout goes into a recording: expected exit code 6"
cmp -s "$tone" "$victim" || fail "a recording was replaced through stdout"

# No result is a recording: each may be replaced.
for _ in 1 2; do
  "$program" transcribe "${quick[@]}" --overwrite -o "$work/all" "$tone" 2>"$work/err" ||
    fail "results in place of results: expected exit code 0"
done

# Places that are no files.
mkdir "$work/folder.txt"
expect 6 'found a folder' transcribe "${quick[@]}" --output "$work/folder.txt" "$tone"
mkdir -p "$work/out_folder/tone.srt"
expect 6 'found a folder' transcribe "${quick[@]}" --overwrite -o "$work/out_folder" "$tone"
ln -s loop "$work/loop"
expect 6 'Too many levels of symbolic links' transcribe "${quick[@]}" --output "$work/loop" "$tone"
expect 6 'File name too long' \
  transcribe "${quick[@]}" --output "$work/$(printf 'x%.0s' {1..300})" "$tone"
expect 6 'fd/9: expected a place for a result' transcribe "${quick[@]}" --output /dev/fd/9 "$tone"

# As an ordinary user: root may do everything.
user=()
if [ "$(id -u)" -eq 0 ]; then
  user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  chmod 755 "$work"
  chmod 644 "$tone"
  install -m 755 "$program" "$work/whisper-npu"
  chown 65534 "$nano"
else
  cp "$program" "$work/whisper-npu"
fi
as_user() { timeout 90 "${user[@]}" "$work/whisper-npu" transcribe "${quick[@]}" "$@" 2>"$work/err" </dev/null; }
expected=$("$program" transcribe "${quick[@]}" "$tone" 2>"$work/err")
[ -n "$expected" ] || fail "the small model: expected some text"
mkfifo -m 666 "$work/fifo"
timeout 100 cat "$work/fifo" >"$work/piped" &  # longer than the writer, whom its end would leave waiting
as_user --output "$work/fifo" "$tone" || fail "to a pipe: expected exit code 0"
wait $!
[ "$(cat "$work/piped")" = "$expected" ] || fail "to a pipe: expected the text"
as_user --output /dev/null "$tone" || fail "to /dev/null: expected exit code 0"
[ "$(as_user --output /dev/stdout "$tone" | cat)" = "$expected" ] ||
  fail "to /dev/stdout: expected the text"
echo before >"$work/appended"
as_user --output /dev/stdout "$tone" >>"$work/appended" || fail "to /dev/stdout: expected exit code 0"
as_user --output /dev/fd/3 "$tone" 3>>"$work/appended" || fail "to /dev/fd/3: expected exit code 0"
[ "$(cat "$work/appended")" = "before
$expected
$expected" ] || fail "to files opened for adding: expected what was there, and the text twice"
as_user --output /dev/stderr "$tone" || fail "to /dev/stderr: expected exit code 0"
[ "$(cat "$work/err")" = "$expected" ] || fail "to /dev/stderr: expected the text"

# A model that may not be looked at is a matter of the model.
for unreadable in 000 600; do
  chmod $unreadable "$nano/model"
  as_user "$tone" >"$work/out"
  [ $? -eq 3 ] || fail "a model folder of mode $unreadable: expected exit code 3"
  grep -q 'Permission denied' "$work/err" || fail "mode $unreadable: expected the cause"
done
chmod 755 "$nano/model"
chmod 000 "$nano/model/model.bin"
as_user "$tone" >"$work/out"
[ $? -eq 3 ] || fail "a model's file of mode 000: expected exit code 3"
chmod 644 "$nano/model/model.bin"
expect 3 'Too many levels' transcribe --device cpu --model "$work/loop/model" "$tone"
expect 3 'expected a model' transcribe --device cpu --model "$tone/model" "$tone"

expect 2 'suppress-tokens: expected -1 or ids up to .*found 999999' \
  transcribe "${quick[@]}" --suppress-tokens 999999 "$tone"
expect 2 'suppress-tokens: expected -1 or token ids' transcribe --suppress-tokens -2 "$tone"
expect 2 'suppress-tokens' transcribe --suppress-tokens 99999999999 "$tone"

# What can only be known later is told.
"$program" transcribe "${quick[@]}" --threads 999 --clip-timestamps 0,5 "$tone" >"$work/out" 2>"$work/err"
[ $? -eq 0 ] || fail "999 threads, a clip beyond the end: expected exit code 0"
grep -q 'threads 999: this process may use' "$work/err" || fail "999 threads: expected a note"
grep -q 'clip-timestamps: 00:05.000 is beyond the end, 00:03.000' "$work/err" ||
  fail "a clip beyond the end: expected a warning"
expect 2 'vad-threshold has no effect: it needs speech detection' bench --vad False --vad-threshold 0.4 "$tone"
mv "$nano/model" "$nano/large-v3-turbo"
"$program" transcribe "${quick[@]}" --model_dir "$nano" --model turbo --fp16 False --verbose False \
  "$tone" >"$work/out" 2>"$work/err" || fail "openai-whisper's spelling: expected exit code 0"
[ "$(cat "$work/out")" = "$expected" ] || fail "openai-whisper's spelling: expected the same text"
mv "$nano/large-v3-turbo" "$nano/model"

# bench: refusals, before any work.
expect 2 'no sample speech at .*samples/jfk.wav' bench --device cpu
expect 2 'exclude each other' bench --rtf --check a.json
expect 2 '-: bench reads its files again' bench -
expect 2 'references .*none.tsv' bench --references "$work/none.tsv" "$work/empty.wav"
expect 2 'none.json: expected a baseline, found no readable file' bench --check "$work/none.json"
echo '{}' >"$work/other.json"
expect 2 'other.json: expected a result of bench --baseline' bench --check "$work/other.json"
expect 2 'expected one or more of faster-whisper.*found espeak' bench --against espeak
for mode in --report --trace; do
  expect 6 'expected a place for a result, found audio' bench "$mode" "$tone"
  expect 2 'would get a result, but it is an input' bench "$mode" "$tone" "$tone"
  expect 6 'none' bench "$mode" "$work/none/page"
done
expect 3 'none: expected a model' bench --device cpu --model ./none "$work/empty.wav"
[ -e /dev/accel/accel0 ] ||
  expect 5 'npu: no /dev/accel/accel0' bench --device npu "$work/empty.wav"

# A reader that is gone ends the program without a word.
{ sleep 0.2; "$program" --version 2>"$work/err"; echo $? >"$work/code"; } | true
[ "$(cat "$work/code")" = 141 ] || fail "a closed pipe: expected exit code 141"
[ ! -s "$work/err" ] || fail "a closed pipe: expected nothing on stderr"
# closed_streams COMMAND...: as usual without stdin and without stderr; without stdout, or with a full one, results are
# lost and that is told: 6. No file or socket of the program takes the place of what is closed.
closed_streams() {
  local code
  timeout 60 "$program" "$@" </dev/null >"$work/usual" 2>"$work/err" || fail "$*: $(cat "$work/err")"
  timeout 60 "$program" "$@" <&- >"$work/out" 2>"$work/err"
  code=$?
  { [ $code -eq 0 ] && cmp -s "$work/out" "$work/usual"; } || fail "$* without stdin: exit code $code or another result"
  timeout 60 "$program" "$@" </dev/null >"$work/out" 2>&-
  code=$?
  { [ $code -eq 0 ] && cmp -s "$work/out" "$work/usual"; } || fail "$* without stderr: exit code $code or another result"
  timeout 60 "$program" "$@" </dev/null >&- 2>"$work/err"
  code=$?
  [ $code -eq 6 ] || fail "$* without stdout: expected exit code 6, found $code: $(cat "$work/err")"
  grep -q stdout "$work/err" || fail "$* without stdout: it does not say so: $(cat "$work/err")"
  timeout 60 "$program" "$@" </dev/null >/dev/full 2>"$work/err"
  code=$?
  [ $code -eq 6 ] || fail "$* with a full stdout: expected exit code 6, found $code"
}
echo '{"id": "a", "audio_filepath": "'"$tone"'", "duration": 3}' >"$work/rows.jsonl"
closed_streams --version
closed_streams --help
closed_streams models list
closed_streams models info "$nano/model"
closed_streams devices
closed_streams config show
closed_streams npu op list
closed_streams transcribe --quiet "${quick[@]}" "$tone"
closed_streams transcribe --quiet "${quick[@]}" --isolate on "$tone"
# What reads rows or sound from stdin, and finds it closed, ends and says so.
for reader in "worker --model $nano/model" "stream --model $nano/model --language en" \
  "transcribe --model $nano/model --language en -"; do
  # shellcheck disable=SC2086 # words
  timeout 60 "$program" $reader <&- >"$work/out" 2>"$work/err"
  code=$?
  [[ $code = [2-9] ]] && grep -qi 'stdin\|Bad file descriptor' "$work/err" ||
    fail "$reader without stdin: expected an error, found $code: $(cat "$work/err")"
done
for isolate in on off; do
  timeout 60 "$program" worker --isolate $isolate "${quick[@]}" <"$work/rows.jsonl" >&- 2>"$work/err"
  [ $? -eq 6 ] || fail "worker --isolate $isolate without stdout: expected exit code 6: $(cat "$work/err")"
  timeout 60 "$program" worker --isolate $isolate "${quick[@]}" <"$work/rows.jsonl" >/dev/full 2>"$work/err"
  [ $? -eq 6 ] || fail "worker --isolate $isolate with a full stdout: expected exit code 6: $(cat "$work/err")"
done

[ $failures -eq 0 ] && echo "cli: all as documented"
exit $((failures > 0))
