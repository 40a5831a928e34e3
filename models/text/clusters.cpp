#include "models/text/clusters.h"

#include "models/text/pattern.h"

namespace wnpu::models {
namespace {

// PCRE2's own clusters (to 10.42) join pictures that no joiner stands between.
#define WNPU_EXTENDING R"([\p{Grapheme_Extend}\p{Emoji_Modifier}\p{Mc}\x{200D}]*)"
constexpr std::string_view kCluster =
    R"(\p{Extended_Pictographic})" WNPU_EXTENDING
    R"((?:(?<=\x{200D})\p{Extended_Pictographic})" WNPU_EXTENDING R"()*|\X)";
#undef WNPU_EXTENDING
// Controls, marks of direction, joiners: Unicode's Cc, Cf, Zl, Zp and marks without a base.
constexpr std::string_view kUnseen = R"([\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Mn}\p{Me}]+\z)";
// Scripts and blocks that are full-width (UAX 11), without the half-width forms among them; behind
// them what is an emoji by itself, by its selector (U+FE0F), or as a flag of two letters.
constexpr std::string_view kFullWidth =
    R"((?![\x{FF61}-\x{FFDC}\x{FFE8}-\x{FFEE}\x{303F}])(?:)"
    R"([\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\p{Yi}\p{Tangut}])"
    R"(|[\x{3000}-\x{303E}\x{30FB}\x{30FC}\x{FE10}-\x{FE19}\x{FE30}-\x{FE6F}\x{FF01}-\x{FFE6}])"
    R"(|\p{Emoji_Presentation}|.\x{FE0F}|[\x{1F1E6}-\x{1F1FF}]{2}))";
constexpr std::string_view kHan = R"(\p{Han})";
constexpr std::string_view kKana = R"([\p{Hiragana}\p{Katakana}])";
constexpr std::string_view kHangul = R"(\p{Hangul})";
constexpr std::string_view kRightToLeft =
    R"((?=\p{L})[\p{Hebrew}\p{Arabic}\p{Syriac}\p{Thaana}\p{Nko}])";

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

Writing writing_of(std::string_view text) {
  static const Pattern kHanPattern(kHan);
  static const Pattern kKanaPattern(kKana);
  static const Pattern kHangulPattern(kHangul);
  static const Pattern kRightPattern(kRightToLeft);
  if (kHanPattern.begins(text)) return Writing::han;
  if (kKanaPattern.begins(text)) return Writing::kana;
  if (kHangulPattern.begins(text)) return Writing::hangul;
  return kRightPattern.begins(text) ? Writing::right_to_left : Writing::other;
}

std::size_t columns_of(std::string_view text) {
  static const Pattern kUnseenPattern(kUnseen);
  static const Pattern kFullWidthPattern(kFullWidth);
  if (kUnseenPattern.begins(text)) return 0;
  return kFullWidthPattern.begins(text) ? 2 : 1;
}

}  // namespace

Cluster cluster_at(std::string_view text, std::size_t at) {
  static const Pattern kClusterPattern(kCluster);
  const char first = text[at];
  if (is_ascii(first) && first != '\r' && (at + 1 == text.size() || is_ascii(text[at + 1]))) {
    const bool is_seen = first >= ' ' && first != '\x7F';
    return {text.substr(at, 1), is_seen ? std::size_t{1} : std::size_t{0}};
  }
  const std::size_t end = kClusterPattern.end_of_match(text, at);
  const bool is_whole = end != std::string_view::npos && end > at;
  const std::string_view cluster = text.substr(at, is_whole ? end - at : 1);
  return {cluster, columns_of(cluster), writing_of(cluster)};
}

}  // namespace wnpu::models
