#!/bin/bash
# python_env.sh [--have] [--ray]: sets up what builds the Python module and what its tests compare it with; prints its
# python (venv.sh). With --ray also what whisper_npu.ray is tested with, which is skipped without it.
source "$(dirname "${BASH_SOURCE[0]}")/venv.sh"

packages=(nanobind==3.1.0 nanobind-backend==1.0.0 typing-extensions==4.16.0 numpy==2.4.6 av==18.1.0
  tqdm==4.70.1 pytest==9.2.0 faster-whisper==1.2.1 wyoming==1.10.2)
with_ray=('ray[data]==2.60.0' pyarrow==26.0.1 'moto[server]==5.2.5' boto3 psutil)
have=()
for word in "$@"; do
  case $word in
    --have) have=(--have) ;;
    --ray) packages+=("${with_ray[@]}") ;;
    *) echo "python_env.sh: expected --have or --ray, found $word" >&2; exit 2 ;;
  esac
done
make_venv "${have[@]}" python "0.5 GB, with --ray 1 GB" "${packages[@]}"
