#include "models/text/clusters.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace wnpu::models;

// "text:columns" of each cluster.
std::vector<std::string> shown(const std::string& text) {
  std::vector<std::string> clusters;
  for (std::size_t at = 0; at < text.size();) {
    const Cluster cluster = cluster_at(text, at);
    REQUIRE_FALSE(cluster.text.empty());
    clusters.push_back(std::string(cluster.text) + ":" + std::to_string(cluster.columns));
    at += cluster.text.size();
  }
  return clusters;
}

using Shown = std::vector<std::string>;

}  // namespace

TEST_CASE("clusters: a character as it is seen, and its columns") {
  CHECK(shown("a b") == Shown{"a:1", " :1", "b:1"});
  CHECK(shown("e\u0301x") == Shown{"e\u0301:1", "x:1"});
  CHECK(shown("日本ﾊﾝ、ｱ") == Shown{"日:2", "本:2", "ﾊ:1", "ﾝ:1", "、:2", "ｱ:1"});
  CHECK(shown("한ㅏＡA") == Shown{"한:2", "ㅏ:2", "Ａ:2", "A:1"});
  CHECK(shown("👩‍👩‍👧‍👦👍🏽") ==
        Shown{"👩‍👩‍👧‍👦:2", "👍🏽:2"});
  CHECK(shown("😀😀!") == Shown{"😀:2", "😀:2", "!:1"});
  CHECK(shown("🇩🇪🇫🇷1️⃣❤️") == Shown{"🇩🇪:2", "🇫🇷:2", "1️⃣:2", "❤️:2"});
  CHECK(shown("\u200Fم\u064Eر") == Shown{"\u200F:0", "م\u064E:1", "ر:1"});
  CHECK(shown("ก\u0E33ํ") == Shown{"ก\u0E33ํ:1"});
  CHECK(shown("\r\n\x01") == Shown{"\r\n:0", "\x01:0"});
}

TEST_CASE("clusters: writing") {
  CHECK(cluster_at("漢", 0).writing == Writing::han);
  CHECK(cluster_at("xか", 1).writing == Writing::kana);
  CHECK(cluster_at("글", 0).writing == Writing::hangul);
  CHECK(cluster_at("ש", 0).writing == Writing::right_to_left);
  CHECK(cluster_at("،", 0).writing == Writing::other);
  CHECK(cluster_at("é", 0).writing == Writing::other);
}
