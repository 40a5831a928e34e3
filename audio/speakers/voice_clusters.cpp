#include "audio/speakers/voice_clusters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace wnpu::audio {
namespace {

using Direction = std::vector<double>;  // of an embedding, or a sum of them

Direction direction_of(const EmbeddingNet::Embedding& embedding) {
  Direction direction(embedding.begin(), embedding.end());
  const double squares =
      std::inner_product(direction.begin(), direction.end(), direction.begin(), 0.0);
  for (double& x : direction) x /= std::sqrt(std::max(squares, 1e-20));
  return direction;
}

double dot(const Direction& a, const Direction& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double cosine(const Direction& a, const Direction& b) {
  return dot(a, b) / std::sqrt(std::max(dot(a, a) * dot(b, b), 1e-20));
}

struct Cluster {
  std::vector<std::size_t> members;  // voices
  double seconds = 0;
  Direction sum{};
};

void add(Cluster& to, const Cluster& from) {
  to.members.insert(to.members.end(), from.members.begin(), from.members.end());
  to.seconds += from.seconds;
  for (std::size_t i = 0; i < to.sum.size(); ++i) to.sum[i] += from.sum[i];
}

// Average linkage of unit vectors. The mean cosine of two clusters is the cosine matrix' entry,
// kept up to date by the sizes (Lance and Williams).
class Linkage {
 public:
  explicit Linkage(std::vector<Cluster> clusters) : clusters_(std::move(clusters)) {
    const std::size_t n = clusters_.size();
    cosines_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) set(i, j, dot(clusters_[i].sum, clusters_[j].sum));
    }
    nearest_.resize(n);
    for (std::size_t i = 0; i < n; ++i) find_nearest(i);
  }

  std::size_t size() const { return clusters_.size() - n_gone_; }
  // Greatest mean cosine of two clusters; there are two or more.
  double best() const { return at(best_row(), nearest_[best_row()]); }

  void join_best() {
    const std::size_t row = best_row();
    const std::size_t a = std::min(row, nearest_[row]);
    const std::size_t b = std::max(row, nearest_[row]);
    const auto of_a = static_cast<double>(clusters_[a].members.size());
    const auto of_b = static_cast<double>(clusters_[b].members.size());
    for (std::size_t i = 0; i < clusters_.size(); ++i) {
      if (i != a && i != b && is_there(i))
        set(i, a, (of_a * at(i, a) + of_b * at(i, b)) / (of_a + of_b));
    }
    add(clusters_[a], clusters_[b]);
    clusters_[b].members.clear();
    ++n_gone_;
    for (std::size_t i = 0; i < clusters_.size(); ++i) {
      if (!is_there(i)) continue;
      if (i == a || nearest_[i] == a || nearest_[i] == b) {
        find_nearest(i);
      } else if (at(i, a) > at(i, nearest_[i])) {
        nearest_[i] = a;
      }
    }
  }

  std::vector<Cluster> take() {
    std::erase_if(clusters_, [](const Cluster& c) { return c.members.empty(); });
    return std::move(clusters_);
  }

 private:
  bool is_there(std::size_t i) const { return !clusters_[i].members.empty(); }
  float at(std::size_t i, std::size_t j) const { return cosines_[i * clusters_.size() + j]; }
  void set(std::size_t i, std::size_t j, double cosine) {
    cosines_[i * clusters_.size() + j] = cosines_[j * clusters_.size() + i] =
        static_cast<float>(cosine);
  }

  void find_nearest(std::size_t i) {
    nearest_[i] = i;
    for (std::size_t j = 0; j < clusters_.size(); ++j) {
      if (j != i && is_there(j) && (nearest_[i] == i || at(i, j) > at(i, nearest_[i])))
        nearest_[i] = j;
    }
  }

  std::size_t best_row() const {
    std::size_t best = clusters_.size();
    for (std::size_t i = 0; i < clusters_.size(); ++i) {
      const bool has_other = is_there(i) && nearest_[i] != i;
      if (has_other && (best == clusters_.size() || at(i, nearest_[i]) > at(best, nearest_[best])))
        best = i;
    }
    return best;
  }

  std::vector<Cluster> clusters_;
  std::vector<float> cosines_;
  std::vector<std::size_t> nearest_;  // itself: there is no other
  std::size_t n_gone_ = 0;
};

// Compared voices: those that are long enough, or as many of the longest as speakers are demanded.
// Every second or third stands for too many: the longest alone might be one speaker's.
std::vector<std::size_t> compared(std::span<const Voice> voices, const SpeakerCount& count,
                                  const ClusterRules& rules) {
  std::vector<std::size_t> order(voices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      return std::tie(voices[i].seconds, voices[i].embedding);
    };
    return key(a) > key(b);
  });
  const auto least = static_cast<std::size_t>(std::max(count.min, 1));
  std::size_t n = 0;
  while (n < order.size() && (n < least || voices[order[n]].seconds >= rules.least_seconds)) ++n;
  const std::size_t kept = std::min(n, rules.most_compared);
  for (std::size_t i = 0; i < kept; ++i) order[i] = order[i * n / kept];
  order.resize(kept);
  return order;
}

std::size_t nearest_cluster(const Direction& direction, const std::vector<Cluster>& clusters) {
  const auto nearest = std::ranges::max_element(
      clusters, {}, [&](const Cluster& cluster) { return cosine(direction, cluster.sum); });
  return static_cast<std::size_t>(nearest - clusters.begin());
}

// Drops the clusters with the least speech that do not count.
void drop_small(std::vector<Cluster>& clusters, const SpeakerCount& count,
                const ClusterRules& rules) {
  std::ranges::stable_sort(
      clusters, [](const Cluster& a, const Cluster& b) { return a.seconds > b.seconds; });
  const auto least = static_cast<std::size_t>(std::max(count.min, 1));
  while (clusters.size() > least && clusters.back().seconds < rules.least_total_seconds)
    clusters.pop_back();
}

struct Pair {
  double cosine = -2;
  std::size_t a = 0, b = 0;  // a < b
};

// The two of two or more clusters whose mean voices are nearest to each other.
Pair nearest_pair(const std::vector<Cluster>& clusters) {
  Pair nearest;
  for (std::size_t b = 0; b < clusters.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      const double found = cosine(clusters[a].sum, clusters[b].sum);
      if (found > nearest.cosine) nearest = {found, a, b};
    }
  }
  return nearest;
}

// Joins the clusters whose mean voices are near each other, or that are too many.
void join_near(std::vector<Cluster>& clusters, const SpeakerCount& count,
               const ClusterRules& rules) {
  const auto least = static_cast<std::size_t>(std::max(count.min, 1));
  const auto most = static_cast<std::size_t>(std::max(count.max, count.min));
  while (clusters.size() > least) {
    const Pair nearest = nearest_pair(clusters);
    if (nearest.cosine < rules.least_mean_cosine && clusters.size() <= most) return;
    add(clusters[nearest.a], clusters[nearest.b]);
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(nearest.b));
  }
}

}  // namespace

std::vector<int> cluster_voices(std::span<const Voice> voices, const SpeakerCount& count,
                                const ClusterRules& rules) {
  if (voices.empty()) return {};
  std::vector<Cluster> clusters;
  for (std::size_t i : compared(voices, count, rules))
    clusters.push_back({{i}, voices[i].seconds, direction_of(voices[i].embedding)});
  if (clusters.empty()) {  // all are short
    const auto longest = std::ranges::max_element(voices, {}, &Voice::seconds);
    const auto i = static_cast<std::size_t>(longest - voices.begin());
    clusters.push_back({{i}, voices[i].seconds, direction_of(voices[i].embedding)});
  }
  Linkage linkage(std::move(clusters));
  const auto least = static_cast<std::size_t>(std::max(count.min, 1));
  while (linkage.size() > least && linkage.size() > 1 && linkage.best() >= rules.least_cosine)
    linkage.join_best();
  clusters = linkage.take();
  drop_small(clusters, count, rules);
  join_near(clusters, count, rules);
  std::vector<int> speakers;
  for (const Voice& voice : voices)
    speakers.push_back(static_cast<int>(nearest_cluster(direction_of(voice.embedding), clusters)));
  return speakers;
}

}  // namespace wnpu::audio
