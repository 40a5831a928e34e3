#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "bench/core/child_process.h"
#include "bench/peers/against.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu::bench;

namespace {

// A shell script in a peer's place; each file name it reads is in $f.
AnsweringProcess shell_peer(const std::string& answer) {
  return AnsweringProcess({"/bin/sh", "-c", "while read -r f; do " + answer + "; done"});
}

}  // namespace

TEST_CASE("peers: hands over files one by one and reads each result") {
  AnsweringProcess peer = shell_peer(
      R"(n=$((n + 1)); echo "{\"peer\": \"p\", \"version\": \"1\", \"precision\": \"int8\", )"
      R"(\"text\": \"$f\", \"seconds\": $n.5, \"load_seconds\": 2, \"rss\": 1000}")");
  for (int i = 1; i <= 3; ++i) {
    const PeerRun run = ask_peer(peer, "file " + std::to_string(i));
    CHECK(run.peer == "p");
    CHECK(run.precision == "int8");
    CHECK(run.text == "file " + std::to_string(i));
    CHECK(run.seconds == i + 0.5);
    CHECK(run.load_seconds == 2.0);
    CHECK(run.peak_rss_bytes == 1000);
  }
}

TEST_CASE("peers: a result may come in pieces, and a long one too") {
  AnsweringProcess peer = shell_peer(
      R"(t=$(head -c 20000 /dev/zero | tr '\0' x); printf '{"peer": "p", "version": "1", '; )"
      R"(printf '"precision": "f", "seconds": 1, "load_seconds": 1, "rss": 1, "text": "%s"}\n' $t)");
  CHECK(ask_peer(peer, "a").text == std::string(20000, 'x'));
}

TEST_CASE("peers: passes on the words of a peer that failed, and goes on") {
  AnsweringProcess peer = shell_peer(R"(echo '{"peer": "p", "error": "no such file"}')");
  CHECK_THROWS_WITH(ask_peer(peer, "a.wav"), "p: a.wav: no such file");
  CHECK_THROWS_WITH(ask_peer(peer, "b.wav"), "p: b.wav: no such file");
}

TEST_CASE("peers: says when a peer ends or speaks no JSON") {
  AnsweringProcess ended({"/bin/true"});
  CHECK_THROWS_WITH(ask_peer(ended, "a"),
                    "/bin/true: expected a result, but the process has ended");
  AnsweringProcess chatty = shell_peer("echo hello");
  CHECK_THROWS_WITH(ask_peer(chatty, "a"), "/bin/sh: expected a result in JSON, found hello");
  AnsweringProcess other = shell_peer(R"(echo '{"seconds": "three"}')");
  CHECK_THROWS_WITH(ask_peer(other, "a"),
                    R"(/bin/sh: expected a result in JSON, found {"seconds": "three"})");
}

TEST_CASE("peers: what was heard has its length") {
  std::vector<Contender> contenders(2);
  for (Contender& one : contenders) {
    one.name = "p";
    one.seconds = {3};
    one.last.resize(2);
  }
  Results results;
  add_contenders(contenders, {{"a.wav", 2}, {"b.wav", 4}}, References({}), results);
  REQUIRE(results.heard.size() == 4);
  CHECK(results.heard[0].audio_s == 2);
  CHECK(results.heard[3].audio_s == 4);
  CHECK(results.figures[2].name == "speed");
  CHECK(results.figures[2].value == doctest::Approx(2));
}

TEST_CASE("peers: a program that is missing cannot be started") {
  if (std::getenv("WNPU_TEST_EMULATOR") != nullptr) {
    MESSAGE("SKIP: an emulator's posix_spawn leaves that to the exit status, as POSIX lets it");
    return;
  }
  CHECK_THROWS_WITH(AnsweringProcess({"/nonexistent/python"}),
                    "/nonexistent/python: cannot be started: No such file or directory");
}

TEST_CASE("peers: nothing is installed unless somebody says so") {
  const wnpu::tests::TemporaryFolder cache;
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string saved = before == nullptr ? "" : before;
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  std::string asked;
  const auto no = [&asked](const std::string& missing) {
    asked = missing;
    return false;
  };
  const std::vector<std::string> names = {"faster-whisper", "whisper.cpp"};
  const std::string here = peers_folder().string();
  CHECK(
      make_peers(names, "tiny.en", no).starts_with("faster-whisper is not in " + here + " (--yes"));
  CHECK(asked == "faster-whisper is not in " + here);
  const auto packages = peers_folder() / "venv/lib/python3.11/site-packages";
  std::filesystem::create_directories(packages / "faster_whisper");
  asked.clear();
  CHECK(make_peers({"faster-whisper"}, "tiny.en", no).empty());
  CHECK(asked.empty());
  CHECK(make_peers(names, "tiny.en", no).starts_with("whisper.cpp is not in "));
  std::filesystem::create_directories(packages / "pywhispercpp");
  std::ofstream(peers_folder() / "tiny.en-q8_0.bin") << '.';
  CHECK(make_peers(names, "tiny.en", no).empty());
  before == nullptr ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", saved.c_str(), 1);
}

TEST_CASE("peers: the scripts are found beside the program") {
  for (const char* name : {"peers.sh", "peers.py", "normalize.py"}) {
    CHECK(std::filesystem::equivalent(bench_script(name),
                                      std::filesystem::path(WNPU_SOURCE_DIR) / "bench" / name));
  }
  CHECK_THROWS_AS(bench_script("other.py"), std::runtime_error);
}
