#include "app/formats/subtitle_rules/cue_times.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace wnpu::app {
namespace {

// A cue is seen for a frame of a film at least, whatever follows it.
constexpr std::int64_t kFrame = 42;

class CueTimer {
 public:
  explicit CueTimer(const SubtitleRules& rules)
      : gap_(milliseconds(rules.min_gap)),
        chain_(milliseconds(rules.chain_gap)),
        shift_(milliseconds(rules.max_shift)),
        linger_(milliseconds(rules.max_linger)),
        shortest_(milliseconds(rules.min_duration)),
        longest_(milliseconds(rules.max_duration)),
        rules_(rules) {}

  // `next`: when the speech of the cue behind this one begins.
  TimedCue time(CueDraft draft, std::int64_t next) {
    const std::int64_t wanted = milliseconds(seconds_wanted(draft.size, rules_));
    TimedCue cue;
    cue.start = std::max(draft.speech_start, free_from_);
    const std::int64_t missing = cue.start + wanted - (next - gap_);
    if (missing > 0) {
      const std::int64_t earlier = draft.speech_start - std::min(missing, shift_);
      cue.start = std::min(cue.start, std::max({earlier, free_from_, std::int64_t{0}}));
    }
    cue.end = std::max(draft.speech_end, std::min(cue.start + wanted, draft.speech_end + linger_));
    cue.end = std::max(cue.end, cue.start + shortest_);
    if (cue.end > next - gap_) {
      // The next one may begin a little late, so that this one is seen.
      const std::int64_t latest = next - gap_ + shift_;
      cue.end = std::max(next - gap_, std::min(cue.start + shortest_, latest));
    } else if (next - cue.end < chain_) {
      cue.end = next - gap_;
    }
    cue.end = std::clamp(cue.end, cue.start + std::min(kFrame, longest_), cue.start + longest_);
    free_from_ = cue.end + gap_;
    cue.speech_start = draft.speech_start;
    cue.lines = std::move(draft.lines);
    return cue;
  }

 private:
  std::int64_t gap_;
  std::int64_t chain_;
  std::int64_t shift_;
  std::int64_t linger_;
  std::int64_t shortest_;
  std::int64_t longest_;
  const SubtitleRules& rules_;
  std::int64_t free_from_ = 0;  // when the next cue may begin
};

}  // namespace

std::vector<TimedCue> timed(std::vector<CueDraft> drafts, const SubtitleRules& rules) {
  CueTimer timer(rules);
  std::vector<TimedCue> cues;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const std::int64_t next = i + 1 < drafts.size() ? drafts[i + 1].speech_start
                                                    : std::numeric_limits<std::int64_t>::max() / 2;
    cues.push_back(timer.time(std::move(drafts[i]), next));
  }
  return cues;
}

}  // namespace wnpu::app
