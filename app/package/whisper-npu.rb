# Homebrew on Linux, from a clone of this repository (app/package/README.md has the commands):
# HOMEBREW_WHISPER_NPU_SOURCE is its path or URL. tests/program/package/package_recipes_test.py holds this file,
# package.nix and Dockerfile to what CMake asks for and installs.
class WhisperNpu < Formula
  desc "Whisper speech recognition on CPUs, and on AMD XDNA NPUs (simulated so far)"
  homepage "https://localhost/whisper-npu"
  license "MIT"
  head ENV.fetch("HOMEBREW_WHISPER_NPU_SOURCE", "file://#{File.expand_path("../..", __dir__)}"),
       using: :git, branch: "main"

  depends_on "boost" => :build
  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "tomlplusplus" => :build
  depends_on "alsa-lib"
  depends_on "curl"
  depends_on "ffmpeg"
  depends_on "highway"
  depends_on "libsndfile"
  depends_on :linux
  depends_on "openblas"
  depends_on "openssl@3"
  depends_on "pcre2"
  depends_on "zlib"

  def install
    # XRT's version is the kernel driver's, so that a build for NPUs is made on the machine itself.
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DWNPU_XRT=OFF", "-DWNPU_PYTHON=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
    files = File.readlines("app/package/installed_files.txt", chomp: true).grep_v(/^#/)
    missing = files.reject { |file| (prefix/file).exist? }
    odie "expected #{missing.join(", ")} to be installed, found none" unless missing.empty?
  end

  test do
    assert_match "whisper-npu", shell_output("#{bin}/whisper-npu --version")
    # Models are the user's: without one the program says how to get it.
    output = shell_output("#{bin}/whisper-npu --offline #{test_fixtures("test.mp3")} 2>&1", 3)
    assert_match "whisper-npu models pull tiny.en", output
    assert_match "of audio", shell_output("#{bin}/whisper-npu --dry-run #{test_fixtures("test.mp3")}")
  end
end
