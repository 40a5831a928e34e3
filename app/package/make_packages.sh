#!/bin/bash
# make_packages.sh [OUT]: the Debian package of this machine's distribution, and a tarball for any x86-64
# Linux, both of one Release build (build/package), into OUT (build/package/out).
set -euo pipefail
for tool in file dpkg-shlibdeps nasm; do # of CPack, which says so at the end of the build, and ffmpeg_audio.sh
  command -v $tool >/dev/null || { echo "make_packages.sh: expected $tool, of the packages file, dpkg-dev and nasm" >&2; exit 1; }
done
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
build=build/package
out=${1:-$build/out}
mkdir -p "$out"
cmake --preset release -B "$build" -DCMAKE_INSTALL_PREFIX=/usr >/dev/null
cmake --build "$build"

(cd "$build" && cpack -G DEB -B packed >/dev/null)
cp "$build"/packed/*.deb "$out"

# The program with all libraries that it is linked to, the C library and its loader as well: what the
# machine has beside the kernel does not matter; and FFmpeg's libraries, for sound alone. XRT's drivers are not in it.
version=$(sed -n 's/^set(CPACK_PACKAGE_VERSION "\(.*\)")$/\1/p' "$build/CPackConfig.cmake")
name=whisper-npu-$version-linux-$(uname -m)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
DESTDIR=$tree/staged cmake --install "$build" --strip >/dev/null
top=$tree/$name
mkdir -p "$top/lib" "$top/bin"
cp "$tree/staged/usr/bin/whisper-npu" "$top/bin/whisper-npu"
cp -r "$tree/staged/usr/share" "$top/share"
# libcurl is loaded where a URL is asked for; a system's own may want a newer C library than the one that is here.
curl=/usr/lib/$(uname -m)-linux-gnu/libcurl.so.4
ldd "$top/bin/whisper-npu" "$curl" |
  sed -n 's|.*=> \(/[^ ]*\) .*|\1|p; s|^\t\(/lib[^ ]*\) .*|\1|p' | sort -u |
  while read -r library; do cp -L "$library" "$top/lib/"; done
cp -L "$curl" "$top/lib/"
# Each library's terms, as its package has them.
mkdir -p "$top/share/licenses"
for library in "$top"/lib/*; do
  file=$(basename "$library")
  package=$(dpkg -S "*/$file" 2>/dev/null | head -1 | cut -d: -f1)
  [ -n "$package" ] || { echo "make_packages.sh: $file is of no package" >&2; exit 1; }
  cp -L "/usr/share/doc/$package/copyright" "$top/share/licenses/$package"
done
bash app/package/ffmpeg_audio.sh "$top/lib"
mv "$top/lib/FFMPEG" "$top/share/licenses/ffmpeg"
cat >"$top/whisper-npu" <<'RUN'
#!/bin/sh
# The program by its own loader and libraries, with the certificates of the machine, wherever they lie (as Go's
# crypto/x509 looks for them).
here=$(dirname "$(readlink -f "$0")")
if [ -z "$SSL_CERT_FILE$CURL_CA_BUNDLE" ]; then
  for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem \
    /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem /etc/ssl/cert.pem; do
    if [ -e "$file" ]; then
      export SSL_CERT_FILE="$file"
      break
    fi
  done
fi
exec "$here/lib/ld-linux-x86-64.so.2" --argv0 "$0" --library-path "$here/lib" "$here/bin/whisper-npu" "$@"
RUN
chmod +x "$top/whisper-npu"
cp LICENSE README.md "$top/"
tar -C "$tree" --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$(git log -1 --format=%ct)" -c "$name" | gzip -9n >"$out/$name.tar.gz"
(cd "$out" && sha256sum ./*.deb ./*.tar.gz >SHA256SUMS && ls -l)
