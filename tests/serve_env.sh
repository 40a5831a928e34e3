#!/bin/bash
# serve_env.sh [--have]: sets up OpenAI's clients for Python and Node, and what drives a Chromium, with which the tests
# ask the server; prints the environment's python (venv.sh). The folder node/ beside the environment has Node's.
source "$(dirname "${BASH_SOURCE[0]}")/venv.sh"

python=$(make_venv "$@" serve "0.1 GB" 'openai[realtime]==3.57.0')
folder=${python%/venv/*}/node
packages=(openai@6.49.0 playwright-core@1.65.1 ws@8)
if [ ! -d "$folder/node_modules/playwright-core" ] && [ "${1:-}" != --have ] && command -v npm >/dev/null; then
  echo "serve: installing ${packages[*]} in $folder" >&2
  mkdir -p "$folder"
  npm install --prefix "$folder" --silent --no-save --no-audit --no-fund "${packages[@]}" >&2 ||
    echo "serve: no packages for Node: its tests will be skipped" >&2
fi
echo "$python"
