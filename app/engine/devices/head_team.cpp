#include "app/engine/devices/head_team.h"

#include <algorithm>

#include "models/base/stopped.h"

namespace wnpu::app {
namespace {

npu::LayerShape shape_of(const models::Dims& dims) {
  return {dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state};
}

}  // namespace

HeadTeam::HeadTeam(Lanes& lanes) : DividedTeam(lanes) {
  begin("head", lanes_.model.dims().n_audio_head);
}

bool HeadTeam::make_parts(const std::vector<std::size_t>& working) {
  members_.clear();
  for (Lane& lane : lanes_.all) {
    lane.layers.reset();
    lane.part = npu::LayerPart{};
  }
  const models::Dims& dims = lanes_.model.dims();
  const auto parts = npu::divide_heads(shape_of(dims), working.size());
  for (std::size_t i = 0; i < working.size(); ++i) {
    Lane& lane = lanes_.all[working[i]];
    Member member{working[i], nullptr, models::Matrix(dims.n_audio_ctx, dims.n_audio_state)};
    const bool is_made =
        runs_on(lane, [&] { member.layers = lane.device->make_part(lanes_.model, parts[i]); });
    if (!is_made) return false;
    lane.part = parts[i];
    members_.push_back(std::move(member));
  }
  ends_ = std::make_unique<encoder::WindowEnds>(lanes_.model.encoder_ends(),
                                                *lanes_.all[working.front()].pool);
  return true;
}

std::size_t HeadTeam::run(std::span<const EncodeJob> jobs) {
  return encode_one(jobs.front()) ? 1 : 0;
}

bool HeadTeam::encode_one(const EncodeJob& job) {
  const double begin_s = now_s();
  std::vector<std::uint64_t> moved_before;
  for (const Member& member : members_) {
    moved_before.push_back(lanes_.all[member.lane].device->moved_bytes());
  }
  ends_->begin(*job.mel, *job.states);
  const models::MatrixView states = job.states->values.view();
  const std::size_t n_halves = 2 * members_.front().layers->n_layers();
  for (std::size_t i = 0; i < n_halves; ++i) {
    if (lanes_.should_stop && lanes_.should_stop()) throw models::Stopped();
    if (!run_half(i / 2, i % 2 == 0 ? encoder::Half::attention : encoder::Half::mlp, states)) {
      return false;
    }
  }
  ends_->end(*job.states);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Lane& lane = lanes_.all[members_[i].lane];
    ++lane.n_windows;
    lane.busy_s += now_s() - begin_s;
    const std::uint64_t moved = lane.device->moved_bytes() - moved_before[i];
    // One device would have taken the states in and given them back once.
    lane.exchanged_bytes += i == 0 ? moved - moved / n_halves : moved;
  }
  return true;
}

bool HeadTeam::run_half(std::size_t layer, encoder::Half half, models::MatrixView states) {
  side_by_side(members_.size(), [&](std::size_t i) {
    Member& member = members_[i];
    runs_on(lanes_.all[member.lane],
            [&] { member.layers->run_half(layer, half, states, member.sum.view()); });
  });
  const bool is_whole = std::ranges::all_of(
      members_, [&](const Member& member) { return lanes_.all[member.lane].is_working(); });
  if (is_whole) add_up(states);
  return is_whole;
}

void HeadTeam::add_up(models::MatrixView states) {
  lanes_.all[members_.front().lane].pool->parallel_for(
      states.rows, [&](std::size_t row, std::size_t) {
        const auto to = states.row(row);
        for (const Member& member : members_) {
          const auto sum = member.sum.row(row);
          for (std::size_t i = 0; i < to.size(); ++i) to[i] += sum[i];
        }
      });
}

}  // namespace wnpu::app
