# The package for Nix, as nixpkgs' callPackage takes it; flake.nix is the way in.
# tests/program/package/package_recipes_test.py holds this file, whisper-npu.rb and Dockerfile to what CMake asks
# for and installs.
{ lib
, stdenv
, cli11
, cmake
, ninja
, pkg-config
, alsa-lib
, boost
, curl
, ffmpeg
, libhwy
, libsndfile
, nlohmann_json
, openblas
, openssl
, pcre2
, tomlplusplus
, zlib
, source ? ../..
, version ? "0.1.0"
}:

let
  # Loaded when they are asked for, by their names.
  loaded = [ alsa-lib curl ffmpeg openblas ];
in
stdenv.mkDerivation {
  pname = "whisper-npu";
  inherit version;
  src = source;

  nativeBuildInputs = [ cmake ninja pkg-config ];
  buildInputs = [ boost cli11 libhwy libsndfile nlohmann_json openssl pcre2 tomlplusplus zlib ] ++ loaded;

  # XRT's version is the kernel driver's, so that a build for NPUs is made on the machine itself. Folders below
  # the prefix, which the pkg-config file counts with.
  cmakeFlags = [
    "-DWNPU_XRT=OFF"
    "-DWNPU_PYTHON=OFF"
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
    "-DCMAKE_INSTALL_LIBDIR=lib"
  ];

  postInstall = ''
    grep -v '^#' ${source}/app/package/installed_files.txt | while read -r file; do
      [ -e "$out/$file" ] || { echo "expected $file to be installed, found none"; exit 1; }
    done
  '';

  postFixup = ''
    patchelf --add-rpath ${lib.makeLibraryPath loaded} $out/bin/whisper-npu $out/lib/libwhisper_npu.so
  '';

  doInstallCheck = true;
  installCheckPhase = ''
    $out/bin/whisper-npu --version
  '';

  meta = {
    description = "Whisper speech recognition on CPUs, and on AMD XDNA NPUs (simulated so far)";
    license = lib.licenses.mit;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "whisper-npu";
  };
}
