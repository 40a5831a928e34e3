#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "bench/peer_process.h"

using namespace wnpu::bench;

namespace {

// A shell script in a peer's place; each file name it reads is in $f.
PeerProcess shell_peer(const std::string& answer) {
  return PeerProcess({"/bin/sh", "-c", "while read -r f; do " + answer + "; done"});
}

}  // namespace

TEST_CASE("peer_process: hands over files one by one and reads each result") {
  PeerProcess peer = shell_peer(
      R"(n=$((n + 1)); echo "{\"peer\": \"p\", \"version\": \"1\", \"precision\": \"int8\", )"
      R"(\"text\": \"$f\", \"seconds\": $n.5, \"load_seconds\": 2, \"rss\": 1000}")");
  for (int i = 1; i <= 3; ++i) {
    const PeerRun run = peer.transcribe("file " + std::to_string(i));
    CHECK(run.peer == "p");
    CHECK(run.precision == "int8");
    CHECK(run.text == "file " + std::to_string(i));
    CHECK(run.seconds == i + 0.5);
    CHECK(run.load_seconds == 2.0);
    CHECK(run.peak_rss_bytes == 1000);
  }
}

TEST_CASE("peer_process: a result may come in pieces, and a long one too") {
  PeerProcess peer = shell_peer(
      R"(t=$(head -c 20000 /dev/zero | tr '\0' x); printf '{"peer": "p", "version": "1", '; )"
      R"(printf '"precision": "f", "seconds": 1, "load_seconds": 1, "rss": 1, "text": "%s"}\n' $t)");
  CHECK(peer.transcribe("a").text == std::string(20000, 'x'));
}

TEST_CASE("peer_process: passes on the words of a peer that failed, and goes on") {
  PeerProcess peer = shell_peer(R"(echo '{"peer": "p", "error": "no such file"}')");
  CHECK_THROWS_WITH(peer.transcribe("a.wav"), "p: a.wav: no such file");
  CHECK_THROWS_WITH(peer.transcribe("b.wav"), "p: b.wav: no such file");
}

TEST_CASE("peer_process: says when a peer ends or speaks no JSON") {
  PeerProcess ended({"/bin/true"});
  CHECK_THROWS_WITH(ended.transcribe("a"),
                    "/bin/true: expected a result, but the process has ended");
  PeerProcess chatty = shell_peer("echo hello");
  CHECK_THROWS_WITH(chatty.transcribe("a"), "/bin/sh: expected a result in JSON, found hello");
}

TEST_CASE("peer_process: a program that is missing cannot be started") {
  CHECK_THROWS_WITH(PeerProcess({"/nonexistent/python"}),
                    "/nonexistent/python: cannot be started: No such file or directory");
}
