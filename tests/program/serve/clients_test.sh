#!/bin/bash
# clients_test.sh WHISPER_NPU: a server with tiny.en is asked by OpenAI's clients for Python and Node, and by a person
# at its page in a Chromium, with a file and a microphone that plays one.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../expect.sh"
skip() {
  echo "SKIP: $1"
  exit 77
}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
recording=$cache/samples/jfk.wav
[ -f "$cache/tiny.en/model.bin" ] && [ -f "$recording" ] || skip "needs tiny.en and jfk.wav: bash app/quickstart.sh"
python=$(bash "$here/../../serve_env.sh" --have) || skip "OpenAI's clients are not set up (bash tests/serve_env.sh)"

printf sesame | sha256sum | cut -d' ' -f1 >keys
"$program" serve --model tiny.en --port 0 --api-keys keys 2>log &
server=$!
trap 'kill $server 2>/dev/null; wait $server || true; rm -rf "$work"' EXIT
url=
for _ in $(seq 600); do
  url=$(sed -n 's/.*listening at \(http:[^ ]*\).*/\1/p' log)
  [ -z "$url" ] || break
  kill -0 $server 2>/dev/null || fail "the server ended: $(cat log)"
  sleep 0.1
done
[ -n "$url" ] || fail "the server does not listen: $(cat log)"
expect 0 "fellow Americans" --model tiny.en --format txt "$recording"
text=$(tr '\n' ' ' <out | sed 's/ *$//')

export OPENAI_BASE_URL=$url/v1 OPENAI_API_KEY=sesame PYTHONDONTWRITEBYTECODE=1
"$python" -W ignore "$here/openai_clients.py" "$recording" "$text" || fail "OpenAI's client for Python: $(tail -n 5 log)"
export NODE_PATH=$cache/serve/node/node_modules
if ! command -v node >/dev/null || [ ! -d "$NODE_PATH/openai" ]; then
  echo "SKIP: OpenAI's client for Node, and the page: no packages for Node (bash tests/serve_env.sh)"
elif ! node "$here/openai_clients.cjs" "$recording" "$text"; then
  fail "OpenAI's client for Node: $(tail -n 5 log)"
elif ! command -v chromium >/dev/null; then
  echo "SKIP: the page: no chromium"
else
  node "$here/page.cjs" "$url" "$recording" "$text" || fail "the page: $(tail -n 5 log)"
fi
kill $server
wait $server || fail "SIGTERM: the server ended with $?"
trap 'rm -rf "$work"' EXIT
echo "serve_clients: ok"
