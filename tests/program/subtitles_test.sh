#!/bin/bash
# Subtitles by rules, and their checker: subtitles_test.sh WHISPER_NPU WRITE_NANO_MODEL FOLDER_OF_SOURCES
write_nano_model=$2
source=$3
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
export XDG_CACHE_HOME=$work/cache
"$write_nano_model" .
recogniser=(--model model --device cpu --threads 1 --max-tokens 60 --temperature-increment-on-fallback None
  --no-speech-threshold None --language en)

works() {
  "$program" "$@" >out 2>err || fail "$*: expected exit code 0, found $?: $(cat err)"
}

# check FOUND CODE ARGUMENTS...: lines of a check on stdout, and nothing on stderr.
check() {
  local code=0
  "$program" subtitles check "${@:3}" >out 2>err || code=$?
  [ "$code" = "$2" ] || fail "${*:3}: expected exit code $2, found $code: $(cat err)"
  [ "$(sed 's/: expected.*//' out)" = "$1" ] || fail "${*:3}: expected '$1', found '$(cat out)'"
  [ ! -s err ] || fail "${*:3}: expected nothing on stderr, found $(cat err)"
}

printf '1\n00:00:01,000 --> 00:00:03,000\nAll is well.\n\n' >good.srt
printf 'WEBVTT\n\n00:01.000 --> 00:03.000\nAll is well.\n' >good.vtt
printf '\xEF\xBB\xBF1\r\n00:00:01,000 --> 00:00:09,000\r\nIt goes on\r\n2\r\n00:00:08.000 --> 00:00:08,500\r\n%050d\r\n' 0 >bad.srt
echo 'no subtitles' >none.srt
printf '\xFF\xFE1\0\n\0' >utf16.srt

check '' 0 good.srt good.vtt
check '' 0 good.srt --subtitle-rules plain
check 'bad.srt:2: cue 1: long
bad.srt:4: cue 1: format
bad.srt:5: cue 2: format
bad.srt:5: cue 2: overlap
bad.srt:5: cue 2: width
bad.srt:5: cue 2: speed
bad.srt:5: cue 2: short' 1 good.srt bad.srt
check 'bad.srt:4: cue 1: format
bad.srt:5: cue 2: format
bad.srt:5: cue 2: overlap' 1 bad.srt --subtitle-rules=plain
expect 1 'bad.srt:5: cue 2: width: expected at most 42 columns in a line, found 50$' subtitles check bad.srt
expect 4 'none.srt: expected SubRip or WebVTT, found no cue' subtitles check none.srt
expect 4 'utf16.srt: expected UTF-8, found UTF-16' subtitles check utf16.srt
expect 4 'gone.srt: expected SubRip or WebVTT, found No such file' subtitles check gone.srt
expect 4 'zero: expected SubRip or WebVTT, found more than 16 MiB' subtitles check /dev/zero
expect 1 'gone.srt: expected' subtitles check good.srt gone.srt
expect 2 'expected a file, found none' subtitles check

# JSON, by its schema.
expect 1 '"rules": "bbc"' subtitles check --format json --subtitle-rules bbc bad.srt good.vtt
/usr/bin/python3 - "$source/app/commands/subtitles/subtitles_check.schema.json" <<'PYTHON' || fail "json: not by its schema"
import json, sys
found = json.load(open("out"))
try:
    import jsonschema
    jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(found)
except ImportError:
    print("jsonschema is not installed", file=sys.stderr)
bad, good = found["files"]
assert (bad["file"], bad["cues"], good["violations"]) == ("bad.srt", 2, []), found
width = next(each for each in bad["violations"] if each["rule"] == "width")
assert (width["line"], width["cue"], width["limit"], width["found"]) == (5, 2, 37, 50), width
PYTHON

# Rules of one's own.
printf 'base = "bbc"\nmax_columns = 60\nmax-duration = 9\n' >mine.toml
check 'bad.srt:4: cue 1: format
bad.srt:5: cue 2: format
bad.srt:5: cue 2: overlap
bad.srt:5: cue 2: short' 1 --subtitle-rules mine.toml bad.srt
printf 'max-lines = 2\nmax-colums = 60\n' >typo.toml
expect 2 '--subtitle-rules: typo.toml:2: no such key: max-colums; did you mean max-columns\?' \
  subtitles check --subtitle-rules typo.toml good.srt
printf 'max-lines = "two"\n' >kind.toml
expect 2 'kind.toml:1: max-lines: expected a whole number from 1 to 3, found a string' \
  transcribe "${recogniser[@]}" --subtitle-rules kind.toml tone.wav
printf 'max-lines = \n' >broken.toml
expect 2 '--subtitle-rules: broken.toml:1: ' subtitles check --subtitle-rules broken.toml good.srt
expect 2 '--subtitle-rules: gone.toml: expected .* found No such file' subtitles check --subtitle-rules gone.toml good.srt
expect 2 '--subtitle-rules: expected plain, netflix, bbc or FILE.toml, found pbs' \
  transcribe "${recogniser[@]}" --subtitle-rules pbs tone.wav
expect 2 '--max-line-width has no effect: it needs subtitles without --subtitle-rules' \
  transcribe "${recogniser[@]}" --subtitle-rules bbc --max-line-width 40 tone.wav

# The formatter keeps what always holds, and says what did not; plain is no option at all.
printf 'max-columns = 12\nmin-gap = 0.5\n' >narrow.toml
works transcribe "${recogniser[@]}" --format srt,vtt,json --output-dir ruled --subtitle-rules narrow.toml tone.wav
cp err told
grep -q '"words": \[' ruled/tone.json || fail "--subtitle-rules: expected times of words"
"$program" subtitles check --format json --subtitle-rules narrow.toml ruled/tone.srt ruled/tone.vtt >out 2>err ||
  [ $? = 1 ] || fail "subtitles check: $(cat err)"
/usr/bin/python3 - <<'PYTHON' || fail "what the formatter keeps is not what the checker finds"
import json
files = json.load(open("out"))["files"]
always = {"format", "order", "overlap", "gap", "empty", "lines", "width", "long"}
rules = [each["rule"] for file in files for each in file["violations"]]
assert not always & set(rules), rules
assert files[0]["cues"] == files[1]["cues"] > 0
assert ("break rules of narrow.toml: " in open("told").read()) == bool(rules), rules
PYTHON
works transcribe "${recogniser[@]}" --format srt,vtt --output-dir unruled tone.wav
works transcribe "${recogniser[@]}" --format srt,vtt --output-dir plain --subtitle-rules plain tone.wav
diff -r unruled plain || fail "--subtitle-rules plain: expected what is written without it"
echo "subtitles: ok"
