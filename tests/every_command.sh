#!/bin/bash
# Every command does its work: each that --help lists, at any depth, runs its example below, and the manual has a part
# on it. A command without an example fails.
#   every_command.sh WHISPER_NPU
#        with the quickstart's tiny.en and jfk.wav, a hub of its own, and the manual that was built with the program
#   every_command.sh WHISPER_NPU MODEL AUDIO HUB MANUAL
#        for a root where the program is installed and no more than a shell. HUB is the URL that `models pull` finds a
#        model at by the name distil-large-v2, whose sums are not published. MANUAL is whisper-npu.1.
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$tests/program/expect.sh"
if [ $# = 1 ]; then
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
  model=$cache/tiny.en audio=$cache/samples/jfk.wav manual=$(dirname "$program")/shell/whisper-npu.1
  if [ ! -e "$model/model.bin" ] || [ ! -e "$audio" ]; then
    echo "SKIP: needs tiny.en and jfk.wav: bash app/quickstart.sh"
    exit 77
  fi
  /usr/bin/python3 "$tests/program/tools/serve_model.py" "$model" >hub &
  trap 'kill %1; rm -rf "$work"' EXIT
  until [ -s hub ]; do
    kill -0 %1 || fail "serve_model.py has ended"
    sleep 0.1
  done
  hub=$(cat hub)
else
  [ $# = 5 ] || fail "expected 1 or 5 arguments, found $#"
  model=$2 audio=$3 hub=$4 manual=$5
fi
export XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config no_proxy='*'
unset WHISPER_NPU_CONFIG
said='ask not what your country can do for you'
recogniser=(--model "$model" --device cpu --beam-size 1)

# write_npy FILE: 16 x 16 zeros in fp32.
write_npy() {
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 16)}" >"$1"
  head -c 1024 /dev/zero >>"$1"
}
write_npy a.npy
echo '{"id": "talk", "audio_filepath": "'"$audio"'", "duration": 11}' >rows.jsonl

echo "$said" >said.txt
printf '1\n00:00:01,000 --> 00:00:06,000\n%045d\n' 0 >wide.srt

# The second time it finds the model there.
pull() { expect 0 "^$XDG_CACHE_HOME/whisper-npu/distil-large-v2$" models pull distil-large-v2 --source "$hub"; }

# A recording sent by the shell alone: a form with a file, over HTTP/1.0, to a port that is free.
serve() {
  local server port length
  "$program" serve --model "$model" --device cpu --port 0 2>serve.err &
  server=$!
  until port=$(sed -n 's/.*listening at .*:\([0-9]*\)$/\1/p' serve.err) && [ -n "$port" ]; do
    kill -0 "$server" || fail "serve has ended: $(cat serve.err)"
    sleep 0.1
  done
  {
    printf -- '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
    cat "$audio"
    printf -- '\r\n--b--\r\n'
  } >form
  length=$(wc -c <form)
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'POST /v1/audio/transcriptions HTTP/1.0\r\nContent-Type: multipart/form-data; boundary=b\r\n' >&3
  printf 'Content-Length: %d\r\n\r\n' "$length" | cat - form >&3
  cat <&3 >answer
  exec 3>&-
  kill "$server"
  wait "$server" || fail "serve: exit code $? after SIGTERM"
  grep -q "$said" answer || fail "serve: expected '$said', found $(cat answer)"
}

# example COMMAND: its work, and something of what it says of that.
example() {
  case $1 in
    transcribe) expect 0 "$said" transcribe "${recogniser[@]}" --format json "$audio" ;;
    stream) expect 0 '"final".* country' stream "${recogniser[@]}" --format jsonl --pace audio <"$audio" ;;
    worker) expect 0 "$said" worker "${recogniser[@]}" <rows.jsonl ;;
    serve) serve ;;
    plan) expect 0 'machine' plan "${recogniser[@]}" --manifest rows.jsonl --sample 1 ;;
    bench) expect 0 'encoder' bench --rtf "${recogniser[@]}" --runs 1 "$audio" ;;
    align) expect 0 '"extra_speech"' align "${recogniser[@]:0:4}" --text said.txt --format json "$audio" ;;
    'subtitles check') expect 1 'wide.srt:2: cue 1: width: .*at most 42 .*found 45' subtitles check wide.srt ;;
    speakers) expect 3 'models pull speakers fetches them' speakers "$audio" ;;
    devices) expect 0 'cpu' devices ;;
    doctor) expect 0 'ok' doctor --model "$model" --device cpu ;;
    'config show') expect 0 'beam-size = ' config show ;;
    'config path') expect 0 "^$work/config/whisper-npu/config.toml$" config path ;;
    'models list') expect 0 '^distil-large-v2 .*ctranslate2' models list ;;
    'models pull') pull ;;
    'models path') pull && expect 0 "^$XDG_CACHE_HOME/whisper-npu/distil-large-v2$" models path distil-large-v2 ;;
    'models info') expect 0 'layers' models info "$model" ;;
    'models verify') pull && expect 0 'distil-large-v2' models verify distil-large-v2 ;;
    'models remove') pull && expect 0 'distil-large-v2' models remove distil-large-v2 ;;
    'models convert')
      expect 0 '' models convert "$model" -o packed.wnpu
      expect 0 "$said" transcribe "${recogniser[@]}" --model packed.wnpu --format json "$audio"
      ;;
    'models export') expect 0 'exported/encoder_model.onnx: ' models export --onnx "$model" -o exported ;;
    'models import') expect 2 'import_onnx.py' models import exported/encoder_model.onnx --decoder "$model" -o imported ;;
    quantize) expect 0 'int8' quantize "$model" -o int8 ;;
    'npu op list') expect 0 '^ +gelu .* core$' npu op list ;;
    'npu op describe') expect 0 'epsilon' npu op describe layer_norm ;;
    'npu op validate') expect 0 '^holds +yes' npu op validate gelu --shapes 2 ;;
    'npu compute matmul') expect 0 'modelled' npu compute matmul a.npy a.npy -o product.npy ;;
    'npu compute attention') expect 0 'modelled' npu compute attention a.npy a.npy a.npy -o context.npy ;;
    'npu compute '*) expect 0 'modelled' npu compute "${1##* }" a.npy -o "${1##* }.npy" ;;
    'npu emit') expect 0 ': design' npu emit --size tiny -o design ;;
    'npu split') expect 0 'the model takes' npu split --size tiny ;;
    'npu predict') expect 0 'modelled' npu predict --size tiny ;;
    'npu check') expect 0 '^fits$' npu check --size tiny ;;
    'npu first-light') expect 0 'simulated' npu first-light --device sim --size tiny --until kernel --runs 1 ;;
    *) fail "$1: expected an example in ${BASH_SOURCE[0]}" ;;
  esac
}

# try COMMAND...: its subcommands, or itself where it has none.
try() {
  local names name
  names=$("$program" "$@" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p')
  for name in $names; do try "$@" "$name"; done
  [ -z "$names" ] || return 0
  example "$*"
  grep -qx ".SH OPTIONS OF $*" <<<"$manual_text" || fail "$*: expected a part of the manual"
  tried=$((tried + 1))
}
tried=0
manual_text=$(tr -d '\\' <"$manual") # its hyphens are escaped
try
[ "$tried" -gt 30 ] || fail "expected over 30 commands, found $tried"
echo "$tried commands work"
