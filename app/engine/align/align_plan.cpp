#include "app/engine/align/align_plan.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

// Bounds of speech, characters a second: the fastest, and one that is slow.
constexpr double kFastest = 40;
constexpr double kSlow = 8;
// A longer part is cut, so that each fits a window beside others.
constexpr double kLongestPart = 10;     // seconds
constexpr std::size_t kMostWords = 40;  // given
// Words are nearly the same from this similarity on.
constexpr double kNearlySame = 0.6;
constexpr std::size_t kMostCompared = 10000;  // pairs of words
constexpr double kWindow = 30;                // seconds
constexpr double kPause = 1;                  // seconds, behind which no word is of any help
constexpr std::size_t kContext = 4;           // parts
constexpr double kLongPause = 8;              // seconds
constexpr double kLeadIn = 0.1;               // seconds before a word that stands first

// Weights of matches, beside kGapCost.
constexpr std::uint32_t kCharacterWeight = 2;
constexpr std::uint32_t kLongestWeighed = 6;
constexpr std::uint32_t kUnspacedWeight = 4;

// Numbers of texts, equal for equal ones.
using Keys = std::map<std::string, std::uint32_t, std::less<>>;

template <typename Word>
std::vector<Atom> atoms_of(std::span<const Word> words, bool is_unspaced, Keys& keys) {
  std::vector<Atom> atoms;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view rest = words[i].key;
    while (!rest.empty()) {
      const std::string_view atom = is_unspaced ? models::first_characters(rest, 1) : rest;
      rest.remove_prefix(atom.size());
      const auto key = keys.try_emplace(std::string(atom), keys.size()).first->second;
      const auto n = static_cast<std::uint32_t>(models::count_characters(atom));
      atoms.push_back(
          {key, is_unspaced ? kUnspacedWeight : kCharacterWeight * std::min(n, kLongestWeighed),
           i});
    }
  }
  return atoms;
}

// A given word and the heard words that are the same.
struct Anchor {
  std::size_t given;
  Places heard;  // none: the last of the anchor before has it, too
};

std::vector<Anchor> anchors_of(std::span<const GivenWord> given, std::span<const HeardWord> heard,
                               bool is_unspaced) {
  Keys keys;
  const std::vector<Atom> a = atoms_of(given, is_unspaced, keys);
  const std::vector<Atom> b = atoms_of(heard, is_unspaced, keys);
  std::vector<std::size_t> n_atoms(given.size());
  for (const Atom& atom : a) ++n_atoms[atom.word];
  std::vector<Anchor> anchors;
  const auto pairs = match_atoms(a, b);
  std::size_t next_heard = 0;
  for (auto pair = pairs.begin(); pair != pairs.end();) {
    const std::size_t word = a[pair->first].word;
    const std::size_t first = b[pair->second].word;
    std::size_t last = first;
    std::size_t n = 0;
    for (; pair != pairs.end() && a[pair->first].word == word; ++pair, ++n)
      last = b[pair->second].word;
    if (2 * n < n_atoms[word]) continue;
    anchors.push_back({word, {std::max(first, next_heard), last + 1}});
    next_heard = last + 1;
  }
  return anchors;
}

// Pairs of words between two anchors that are nearly the same, in order, of the greatest
// similarity.
std::vector<std::pair<std::size_t, std::size_t>> near_pairs(std::span<const GivenWord> given,
                                                            std::span<const HeardWord> heard) {
  const std::size_t width = heard.size() + 1;
  if (given.empty() || heard.empty() || given.size() * heard.size() > kMostCompared) return {};
  std::vector<double> best((given.size() + 1) * width);
  std::vector<double> near(best.size());
  for (std::size_t i = given.size(); i-- > 0;) {
    for (std::size_t j = heard.size(); j-- > 0;) {
      const std::size_t at = i * width + j;
      const double same = similarity(given[i].key, heard[j].key);
      if (same >= kNearlySame && !given[i].key.empty()) near[at] = same + best[at + width + 1];
      best[at] = std::max({best[at + 1], best[at + width], near[at]});
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0, j = 0; i < given.size() && j < heard.size();) {
    const std::size_t at = i * width + j;
    if (near[at] > 0 && near[at] == best[at]) {
      pairs.emplace_back(i++, j++);
    } else if (best[at] == best[at + width]) {
      ++i;
    } else {
      ++j;
    }
  }
  return pairs;
}

std::size_t characters(std::span<const GivenWord> words) {
  std::size_t n = 0;
  for (const GivenWord& word : words) n += models::count_characters(word.key);
  return n;
}

std::size_t characters(std::span<const HeardWord> words) {
  std::size_t n = 0;
  for (const HeardWord& word : words) n += models::count_characters(word.key);
  return n;
}

template <typename Word>
std::span<const Word> within(std::span<const Word> words, const Places& places) {
  return words.subspan(places.first, places.size());
}

class Parts {
 public:
  Parts(std::span<const GivenWord> given, std::span<const HeardWord> heard, double duration_s)
      : given_(given), heard_(heard), duration_s_(duration_s) {}

  // Parts up to the anchor, and the anchor.
  void add(const Anchor& anchor) {
    const Places heard = {std::min(anchor.heard.first, heard_.size()), anchor.heard.end};
    add_between({next_given_, anchor.given}, {next_heard_, heard.first}, &heard);
    add_anchor(anchor.given, heard);
    next_given_ = anchor.given + 1;
    next_heard_ = heard.end;
  }
  std::vector<Part> finish() {
    add_between({next_given_, given_.size()}, {next_heard_, heard_.size()}, nullptr);
    return std::move(parts_);
  }

 private:
  void add_anchor(std::size_t given, const Places& heard) {
    const std::size_t first = std::min(heard.first, heard.end - 1);
    parts_.push_back({{given, given + 1},
                      {std::min(heard.first, heard.end), heard.end},
                      heard_[first].start,
                      heard_[heard.end - 1].end,
                      heard_[first].start,
                      true});
  }

  // Words that are nearly the same divide what differs.
  void add_between(const Places& given, const Places& heard, const Places* next) {
    Places gap = {given.first, given.first};
    Places gap_heard = {heard.first, heard.first};
    for (const auto& [i, j] : near_pairs(within(given_, given), within(heard_, heard))) {
      const Places near = {heard.first + j, heard.first + j + 1};
      gap.end = given.first + i;
      gap_heard.end = near.first;
      add_gap(gap, gap_heard, &near);
      add_anchor(gap.end, near);
      gap.first = gap.end + 1;
      gap_heard.first = near.end;
    }
    gap.end = given.end;
    gap_heard.end = heard.end;
    add_gap(gap, gap_heard, next);
  }

  // `next`: what was heard of the anchor behind it; null: it is the last.
  void add_gap(const Places& given, const Places& heard, const Places* next) {
    if (given.size() + heard.size() == 0) return;
    const auto n_given = static_cast<double>(characters(within(given_, given)));
    const auto n_heard = static_cast<double>(characters(within(heard_, heard)));
    Part part{given, heard};
    const Part* const before = parts_.empty() ? nullptr : &parts_.back();
    const double slow_s = 1 + n_given / kSlow;
    const double first_heard = heard.size() > 0 ? heard_[heard.first].start
                               : next != nullptr
                                   ? heard_[std::min(next->first, next->end - 1)].start
                                   : duration_s_;
    part.start = before != nullptr ? before->end : std::max(0.0, first_heard - slow_s);
    part.end = next != nullptr    ? heard_[std::min(next->first, next->end - 1)].start
               : heard.size() > 0 ? heard_[heard.end - 1].end
                                  : std::min(duration_s_, part.start + slow_s);
    part.end = std::max(part.start, part.end);
    part.is_extra = given.size() == 0 || n_heard > 3 * n_given + 20;
    if (heard.size() == 0) part.is_said = has_room(part, before, next, n_given);
    if (given.size() == 0) part.start = heard_[heard.first].start;
    split(part);
  }

  // Whether a gap without heard words, and what the words beside it leave, may hold so much.
  bool has_room(const Part& part, const Part* before, const Places* next, double n_given) const {
    double room = part.end - part.start;
    const auto spare = [](double seconds, std::size_t n) {
      return std::max(0.0, seconds - static_cast<double>(n) / kSlow);
    };
    if (before != nullptr) {
      room += spare(before->end - before->start, characters(within(given_, before->given)));
    }
    if (next != nullptr) {
      const auto words = within(heard_, {std::min(next->first, next->end - 1), next->end});
      room += spare(words.back().end - words.front().start, characters(words));
    }
    return n_given <= kFastest * room + 3;
  }

  void split(const Part& part) {
    const auto n =
        std::max({std::size_t{1}, static_cast<std::size_t>((part.end - part.start) / kLongestPart),
                  part.given.size() / kMostWords});
    const auto cut = [&](const Places& places, std::size_t i) {
      return places.first + places.size() * i / n;
    };
    const double step = (part.end - part.start) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      Part piece = part;
      piece.given = {cut(part.given, i), cut(part.given, i + 1)};
      piece.heard = {cut(part.heard, i), cut(part.heard, i + 1)};
      if (piece.given.size() + piece.heard.size() == 0) continue;
      piece.is_extra = part.is_extra || piece.given.size() == 0;
      piece.start = part.start + step * static_cast<double>(i);
      piece.end = piece.start + step;
      piece.heard_at = piece.heard.size() > 0 ? heard_[piece.heard.first].start : piece.start;
      parts_.push_back(piece);
    }
  }

  std::span<const GivenWord> given_;
  std::span<const HeardWord> heard_;
  double duration_s_;
  std::size_t next_given_ = 0;
  std::size_t next_heard_ = 0;
  std::vector<Part> parts_;
};

std::size_t n_tokens(const Part& part, std::span<const GivenWord> given) {
  std::size_t n = 0;
  for (const GivenWord& word : within(given, part.given))
    for (const auto& piece : word.pieces) n += piece.tokens.size();
  return part.is_anchor ? n : n + 8 * part.heard.size();  // of which few are needed
}

double gap_before(std::span<const Part> parts, std::size_t i) {
  return parts[i].start - parts[i - 1].end;
}

// End of what is kept of a window's parts: the widest pause between two anchors of its last third.
std::size_t kept_end(const PartWindow& window, std::span<const Part> parts) {
  if (window.end == parts.size() || window.end <= window.kept_first + 2) return window.end;
  const double late = window.start + (parts[window.end - 1].end - window.start) * 2 / 3;
  std::optional<std::size_t> best;
  for (std::size_t i = window.kept_first + 1; i < window.end; ++i) {
    if (parts[i].start <= late || !parts[i].is_anchor || !parts[i - 1].is_anchor) continue;
    if (!best || gap_before(parts, i) >= gap_before(parts, *best)) best = i;
  }
  return best.value_or(window.end);
}

// Whether the part is the first that was heard in the window, and fits.
bool has_as_first(const HeardStretch& window, std::size_t part, std::span<const Part> parts) {
  const bool is_first = part == 0 || parts[part - 1].heard_at < window.start;
  return is_first && parts[part].heard_at < window.end && parts[part].end <= window.sound_end;
}

// Sets the window's begin and the parts in it that are there for the sake of the first new one.
void begin_window(std::span<const Part> parts, PartWindow& window) {
  while (window.first > 0 && window.kept_first - window.first < kContext &&
         parts[window.first - 1].is_anchor && gap_before(parts, window.first) < kPause)
    --window.first;
  const double lead =
      window.first == 0 ? kLeadIn : std::clamp(gap_before(parts, window.first) / 2, 0.0, kLeadIn);
  window.start = std::max(0.0, parts[window.first].start - lead);
}

}  // namespace

std::vector<Part> aligned_parts(std::span<const GivenWord> given, std::span<const HeardWord> heard,
                                bool is_unspaced, double duration_s) {
  Parts parts(given, heard, duration_s);
  for (const Anchor& anchor : anchors_of(given, heard, is_unspaced)) parts.add(anchor);
  return parts.finish();
}

PartWindow window_at(std::size_t kept_first, std::span<const Part> parts,
                     std::span<const GivenWord> given, std::size_t most_tokens,
                     std::span<const HeardStretch> heard) {
  PartWindow window{kept_first, kept_first, kept_first, kept_first};
  const auto next =
      std::ranges::upper_bound(heard, parts[kept_first].heard_at, {}, &HeardStretch::start);
  const bool is_heard = next != heard.begin() && has_as_first(*std::prev(next), kept_first, parts);
  if (is_heard) {
    window.start = std::prev(next)->start;
  } else {
    begin_window(parts, window);
  }
  const double sound_end = is_heard ? std::prev(next)->sound_end : window.start + kWindow;
  const double limit = is_heard              ? std::prev(next)->end
                       : next != heard.end() ? next->start
                                             : std::numeric_limits<double>::infinity();
  const auto is_of_next = [&](std::size_t i) { return parts[i].heard_at >= limit; };
  std::size_t tokens = 0;
  for (std::size_t i = window.first; i < parts.size(); ++i) {
    tokens += n_tokens(parts[i], given);
    const bool fits = parts[i].end <= sound_end && tokens <= most_tokens;
    const bool is_apart = !is_heard && i > 0 && gap_before(parts, i) > kLongPause;
    if (i > kept_first && (!fits || is_apart || is_of_next(i))) break;
    window.end = i + 1;
  }
  const bool is_last = window.end == parts.size();
  window.kept_end = is_last || is_of_next(window.end) ? window.end : kept_end(window, parts);
  window.sound_end = std::min(sound_end, is_last ? sound_end : parts[window.end].start + kLeadIn);
  return window;
}

}  // namespace wnpu::app
