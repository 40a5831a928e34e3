// Naming audio: raw format specs, files, directories, pipes, stdin.
#include <array>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <doctest/doctest.h>

#include "audio/read/input_file.h"
#include "audio/read/spool_file.h"
#include "tests/support/audio_files.h"
#include "tests/support/text.h"

namespace fs = std::filesystem;
using namespace wnpu::audio;
using wnpu::tests::audio_error_of;
using wnpu::tests::decode_all;
using wnpu::tests::Decoded;
using wnpu::tests::has;
using wnpu::tests::TempFile;

namespace {

std::string all_bytes(InputFile& file) {
  std::string bytes(file.size() + 10, '\0');
  bytes.resize(file.read_at(0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

// Gives the process another stdin until the end of the scope.
struct Stdin {
  explicit Stdin(int fd) : saved(::dup(STDIN_FILENO)) { ::dup2(fd, STDIN_FILENO); }
  ~Stdin() {
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
  }
  Stdin(const Stdin&) = delete;
  Stdin& operator=(const Stdin&) = delete;
  int saved;
};

// The error of an endless pipe that begins so; none of it is read to the end.
std::string error_of_endless(const std::string& begin, Input input) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const auto ignored = std::signal(SIGPIPE, SIG_IGN);
  std::thread writer([&] {
    const std::string more(1U << 16, '\0');
    const std::string* next = &begin;
    while (::write(ends[1], next->data(), next->size()) > 0) next = &more;
    ::close(ends[1]);
  });
  std::string message;
  {
    const Stdin replaced(ends[0]);
    ::close(ends[0]);
    message = audio_error_of([&] { InputFile file(input); });
  }
  writer.join();
  std::signal(SIGPIPE, ignored);
  return message;
}

}  // namespace

TEST_CASE("raw format: a spec is format, rate and channels") {
  CHECK(parse_raw_format("s16le:16000:1") == RawFormat{SampleFormat::s16le, 16000, 1});
  CHECK(parse_raw_format("f64be:768000:64") == RawFormat{SampleFormat::f64be, 768000, 64});
  CHECK(parse_raw_format("u8:8000:2") == RawFormat{SampleFormat::u8, 8000, 2});
}

TEST_CASE("raw format: everything else is refused with the spec in the message") {
  for (const char* spec : {"", "s16le", "s16le:16000", "s16le:16000:", "s16le::1", ":16000:1",
                           "s12le:16000:1", "s16le:16000:0", "s16le:16000:65", "s16le:999:1",
                           "s16le:768001:1", "s16le:16000:1:1", "s16le:16000:1 ", "S16LE:16000:1",
                           "s16le:-16000:1", "s16le:99999999999999999999:1", "s16le:16e3:1"}) {
    const std::string message = audio_error_of([&] { parse_raw_format(spec); });
    CHECK_MESSAGE(has(message, "found \"" + std::string(spec) + "\""), spec);
    CHECK(has(message, "s16le:16000:1"));
  }
}

TEST_CASE("input file: missing, directory and empty are told apart") {
  const fs::path missing = fs::temp_directory_path() / "wnpu_no_such_file.wav";
  CHECK(audio_error_of([&] {
          InputFile({missing, {}});
        }) == missing.string() + ": expected an audio file, found: No such file or directory");
  const fs::path folder = fs::temp_directory_path();
  CHECK(audio_error_of([&] {
          InputFile({folder, {}});
        }) == folder.string() + ": expected an audio file, found a directory");
  const TempFile empty("");
  CHECK(audio_error_of([&] { InputFile file(empty.input()); }) ==
        empty.path().string() + ": expected an audio file, found an empty file (0 bytes)");
}

TEST_CASE("input file: empty raw PCM is silence, not an error") {
  const TempFile empty("");
  const InputFile file({empty.path(), RawFormat{}});
  CHECK(file.size() == 0);
}

TEST_CASE("input file: reads at any place, and again through a duplicate") {
  const TempFile temp("0123456789");
  InputFile file(temp.input());
  std::string two(2, ' ');
  CHECK(file.read_at(7, std::as_writable_bytes(std::span(two))) == 2);
  CHECK(two == "78");
  CHECK(file.read_at(9, std::as_writable_bytes(std::span(two))) == 1);
  CHECK(file.read_at(10, std::as_writable_bytes(std::span(two))) == 0);
  InputFile copy = file.duplicate();
  CHECK(all_bytes(copy) == "0123456789");
}

TEST_CASE("input file: a pipe is spooled, so that it can be read twice") {
  const TempFile name("");
  fs::remove(name.path());
  REQUIRE(::mkfifo(name.path().c_str(), 0600) == 0);
  const std::string sent(300000, 'x');
  std::thread writer([&] {
    const int fd = ::open(name.path().c_str(), O_WRONLY);
    for (std::size_t at = 0; at < sent.size();) {
      at += static_cast<std::size_t>(::write(fd, sent.data() + at, sent.size() - at));
    }
    ::close(fd);
  });
  InputFile file(name.input());
  writer.join();
  CHECK(all_bytes(file) == sent);
  CHECK(all_bytes(file) == sent);
}

TEST_CASE("input file: \"-\" is stdin, from where it stands") {
  const TempFile temp("0123456789");
  const int fd = ::open(temp.path().c_str(), O_RDONLY);
  {
    const Stdin replaced(fd);
    InputFile whole({"-", {}});
    CHECK(whole.name() == "stdin");
    CHECK(all_bytes(whole) == "0123456789");
    ::lseek(STDIN_FILENO, 4, SEEK_SET);
    InputFile rest({"-", {}});
    CHECK(all_bytes(rest) == "456789");
    CHECK(audio_error_of([] {
            InputFile({"-", {}});
          }) == "stdin: expected an audio file, found an empty file (0 bytes)");
  }
  ::close(fd);
}

TEST_CASE("input: what has no end is read to a limit that is told") {
  Input input{"-", std::nullopt, std::nullopt, std::uint64_t{3} << 20};
  const std::string message = error_of_endless("x", input);
  CHECK(has(message, "stdin: expected an end within 3 MiB, found more"));
  CHECK(has(message, "TMPDIR"));
  CHECK(has(message, "at most 3 MiB"));
}

TEST_CASE("input: what has no end is read to so many seconds of audio") {
  Input input;
  input.path = "-";
  input.spool_s = 10;
  CHECK(has(error_of_endless("x", input), "within 4 MiB, found more: 10 s of audio"));
  const std::string wav("RIFF....WAVEfmt \x10\0\0\0\1\0\1\0\x80\x3E\0\0\0\0\x0C\0",
                        32);  // 786432 a second
  CHECK(has(error_of_endless(wav, input), "within 8 MiB, found more: 10 s of audio"));
  input.raw_format = parse_raw_format("f64le:48000:1");
  CHECK(has(error_of_endless("x", input), "within 3 MiB, found more: 10 s of audio"));
}

TEST_CASE("input: a temporary copy takes half of what is free there, at most") {
  const int spool = open_spool("it");
  struct statvfs disk {};
  REQUIRE(::fstatvfs(spool, &disk) == 0);
  const double free_bytes = double(disk.f_bavail) * double(disk.f_frsize);
  const double room = double(room_for_spool(spool, std::uint64_t{1} << 62));
  CHECK(room > 0.3 * free_bytes);  // others write there, too
  CHECK(room < 0.6 * free_bytes);
  CHECK(room_for_spool(spool, 17) == 17);
  ::close(spool);
}

TEST_CASE("input: telephone sound without a header is known by its name, if it is no text") {
  std::string codes;
  for (int i = 0; i < 16000; ++i) codes += static_cast<char>(i * 37 % 256);
  for (const auto& [suffix, spec] : {std::pair{".ulaw", "mulaw:8000:1"},
                                     {".UL", "mulaw:8000:1"},
                                     {".alaw", "alaw:8000:1"},
                                     {".al", "alaw:8000:1"}}) {
    const std::string name = suffix;
    CAPTURE(name);
    const TempFile file(codes, suffix);
    const Decoded decoded = decode_all(file.input());
    CHECK(decoded.samples == decode_all({file.path(), parse_raw_format(spec)}).samples);
    REQUIRE(decoded.warnings.size() == 1);
    CHECK(has(decoded.warnings[0], std::string("by its name read as ") + spec));
    const TempFile text(std::string(5000, 'x'), suffix);
    CHECK(has(audio_error_of([&] { decode_all(text.input()); }), "expected audio, found"));
  }
}

TEST_CASE("input: samples without a header are told the way out") {
  const std::string noise(5000, '\x91');
  for (const char* suffix : {".raw", ".pcm", ".s16le", ".F32", ".sln16"}) {
    const TempFile file(noise, suffix);
    CHECK(audio_error_of([&] {
            decode_all(file.input());
          }).ends_with("--stdin-format, as s16le:16000:1 - < " + file.path().string()));
  }
  const TempFile other(noise, ".doc");
  CHECK(audio_error_of([&] { decode_all(other.input()); }).ends_with("can decode"));
}

TEST_CASE("input: a device is no recording") {
  for (const char* device : {"/dev/zero", "/dev/full", "/dev/null"}) {
    CAPTURE(std::string(device));
    Input input;
    input.path = device;
    input.spool_bytes = 1;
    CHECK(has(audio_error_of([&] { InputFile file(input); }),
              ": expected an audio file or a pipe, found a device"));
  }
}
