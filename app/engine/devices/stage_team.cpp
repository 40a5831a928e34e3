#include "app/engine/devices/stage_team.h"

#include "models/base/stopped.h"

namespace wnpu::app {

StageTeam::StageTeam(Lanes& lanes) : DividedTeam(lanes) {
  begin("layer", lanes_.model.dims().n_audio_layer);
}

bool StageTeam::make_parts(const std::vector<std::size_t>& working) {
  stages_.clear();
  for (Lane& lane : lanes_.all) {
    lane.layers = npu::LayerRange{};
    lane.part.reset();
  }
  const auto ranges = npu::divide_layers(lanes_.model.dims().n_audio_layer, working.size());
  for (std::size_t i = 0; i < working.size(); ++i) {
    Lane& lane = lanes_.all[working[i]];
    Stage stage{working[i], nullptr, nullptr};
    const bool is_made = runs_on(lane, [&] {
      stage.layers = lane.device->make_layers(lanes_.model, *lane.pool, ranges[i]);
    });
    if (!is_made) return false;
    if (i == 0 || i + 1 == working.size()) {
      stage.ends = std::make_unique<encoder::WindowEnds>(lanes_.model.encoder_ends(), *lane.pool);
    }
    lane.layers = ranges[i];
    stages_.push_back(std::move(stage));
  }
  return true;
}

std::size_t StageTeam::run(std::span<const EncodeJob> jobs) {
  StageProgress progress(stages_.size());
  side_by_side(stages_.size(), [&](std::size_t stage) { work(stage, jobs, progress); });
  const std::size_t n_done = progress.n_passed_all();
  for (const Stage& stage : stages_) lanes_.all[stage.lane].n_windows += n_done;
  return n_done;
}

void StageTeam::work(std::size_t stage, std::span<const EncodeJob> jobs, StageProgress& progress) {
  const StageProgress::End end(progress, stage);
  for (std::size_t window = 0; window < jobs.size(); ++window) {
    if (!progress.wait_for(stage, window) || !pass(stage, jobs[window])) return;
    progress.pass(stage);
  }
}

bool StageTeam::pass(std::size_t stage, const EncodeJob& job) {
  Lane& lane = lanes_.all[stages_[stage].lane];
  const double begin_s = now_s();
  if (!runs_on(lane, [&] { pass_through(stage, job); })) return false;
  lane.busy_s += now_s() - begin_s;
  return true;
}

// The states lie in the job's own matrix between stages.
void StageTeam::pass_through(std::size_t stage, const EncodeJob& job) {
  Stage& own = stages_[stage];
  Lane& lane = lanes_.all[own.lane];
  const bool is_first = stage == 0;
  const bool is_last = stage + 1 == stages_.size();
  if (is_first) own.ends->begin(*job.mel, *job.states);
  const models::MatrixView states = job.states->values.view();
  const std::uint64_t before_load = lane.device->moved_bytes();
  own.layers->load(states);
  if (!is_first) lane.exchanged_bytes += lane.device->moved_bytes() - before_load;
  for (std::size_t layer = 0; layer < own.layers->n_layers(); ++layer) {
    if (lanes_.should_stop && lanes_.should_stop()) throw models::Stopped();
    own.layers->run_layer(layer);
  }
  const std::uint64_t before_store = lane.device->moved_bytes();
  own.layers->store(states);
  if (!is_last) lane.exchanged_bytes += lane.device->moved_bytes() - before_store;
  if (is_last) own.ends->end(*job.states);
}

}  // namespace wnpu::app
