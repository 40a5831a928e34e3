// Speakers of live speech: labels settle, stay, and keep their names whatever numbers turns have.
#include "app/stream/live_labels.h"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace wnpu;  // NOLINT
using app::StreamEvent;

namespace {

constexpr double kAll = 1e9;

// A word a second from `first` on.
StreamEvent final_words(int first, int end) {
  StreamEvent event;
  event.type = StreamEvent::Type::final;
  event.language = "en";
  for (int i = first; i < end; ++i)
    event.words.push_back({" " + std::to_string(i), i + 0.1, i + 0.9, 1});
  return event;
}

// "Anna: 0 1, speaker 2: 2"
std::string told(const std::vector<StreamEvent>& events) {
  std::string all;
  for (const StreamEvent& event : events) {
    CHECK(event.type == StreamEvent::Type::speaker);
    CHECK(event.language == "en");
    all += (all.empty() ? "" : ", ") + event.speaker + ":" + event.text();
  }
  return all;
}

}  // namespace

TEST_CASE("live labels: words wait until they have settled, each is told once") {
  app::LiveLabels labels;
  CHECK(labels.take({{0, 5, 0}}, kAll).empty());
  labels.add(final_words(0, 6));
  CHECK(told(labels.take({{0, 3, 0}, {3, 6, 1}}, 2)) == "speaker 1: 0 1");
  CHECK(told(labels.take({{0, 3, 0}, {3, 6, 1}}, 2)).empty());
  labels.add(final_words(6, 7));
  CHECK(told(labels.take({{0, 3, 0}, {3, 6, 1}, {6, 7, 0}}, kAll)) ==
        "speaker 1: 2, speaker 2: 3 4 5, speaker 1: 6");
}

TEST_CASE("live labels: a speaker keeps the name when turns are numbered anew") {
  const std::vector<std::pair<std::string, std::string>> names = {{"2", "Ben"}};
  app::LiveLabels labels(names);
  labels.add(final_words(0, 12));
  CHECK(told(labels.take({{0, 3, 0}, {3, 6, 1}}, 6)) == "speaker 1: 0 1 2, Ben: 3 4 5");
  // A third is found where the first had been, and numbers are others.
  CHECK(told(labels.take({{0, 1, 2}, {1, 3, 1}, {3, 6, 0}, {6, 9, 1}, {9, 12, 2}}, kAll)) ==
        "speaker 1: 6 7 8, speaker 3: 9 10 11");
}

TEST_CASE("live labels: nobody's words are told without a name") {
  app::LiveLabels labels;
  labels.add(final_words(0, 3));
  CHECK(told(labels.take({}, kAll)) == ": 0 1 2");
}
