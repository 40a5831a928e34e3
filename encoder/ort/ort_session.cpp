#include <array>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "encoder/ort/ort_encoder.h"
#include "encoder/ort/ort_placement.h"
#include "encoder/ort/ort_provider.h"
#include "models/base/error.h"
#include "npu/device.h"

namespace wnpu::encoder {
namespace {

namespace fs = std::filesystem;

// Names of models/onnx/export.h.
constexpr const char* kInput = "input_features";
constexpr const char* kOutput = "last_hidden_state";

class SessionEncoder final : public OrtEncoder {
 public:
  SessionEncoder(const OrtSettings& settings, const OrtModel& model);

  const std::vector<OrtPlacement>& placement() const override { return placement_; }
  bool was_compiled() const override { return was_compiled_; }
  void encode(const models::LogMel& mel, models::EncoderStates& out,
              const std::function<bool()>& should_stop) override;

 private:
  OrtOwned<OrtSessionOptions> options() const;
  OrtOwned<OrtSession> make(const OrtSessionOptions* options, const std::string& graph) const;
  bool open_compiled(const std::string& compiled);
  void compile(const OrtModel& model);
  OrtOwned<OrtValue> tensor(std::span<float> values, std::array<std::int64_t, 3> shape) const;

  OrtSettings settings_;
  models::Dims dims_;
  const OrtLibrary& library_;
  OrtOwned<OrtMemoryInfo> memory_;
  OrtOwned<OrtSession> session_;
  std::vector<OrtPlacement> placement_;
  bool was_compiled_ = false;
};

OrtOwned<OrtMemoryInfo> host_memory(const OrtLibrary& library) {
  OrtMemoryInfo* made = nullptr;
  library.check(library.api().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &made),
                "memory");
  return library.own(made, library.api().ReleaseMemoryInfo);
}

void set(const OrtLibrary& library, OrtSessionOptions* options, const char* key,
         const std::string& value) {
  library.check(library.api().AddSessionConfigEntry(options, key, value.c_str()), key);
}

std::string nodes_file(const std::string& compiled) { return compiled + ".nodes"; }

SessionEncoder::SessionEncoder(const OrtSettings& settings, const OrtModel& model)
    : settings_(settings),
      dims_(model.dims),
      library_(open_library(settings.places)),
      memory_(host_memory(library_)),
      session_(library_.own<OrtSession>(nullptr, library_.api().ReleaseSession)) {
  if (!open_compiled(model.compiled)) compile(model);
  if (!settings.takes_other_providers) refuse_other_providers(placement_, settings.target);
}

// Keys: onnxruntime_session_options_config_keys.h. Threads sleep between windows, since the decoder
// works then.
OrtOwned<OrtSessionOptions> SessionEncoder::options() const {
  OrtOwned<OrtSessionOptions> made = library_.session_options();
  library_.check(
      library_.api().SetIntraOpNumThreads(made.get(), static_cast<int>(settings_.n_threads)),
      "threads");
  set(library_, made.get(), "session.intra_op.allow_spinning", "0");
  set(library_, made.get(), "session.record_ep_graph_assignment_info", "1");
  append_provider(library_, settings_, made.get());
  return made;
}

OrtOwned<OrtSession> SessionEncoder::make(const OrtSessionOptions* options,
                                          const std::string& graph) const {
  OrtSession* made = nullptr;
  library_.check(library_.api().CreateSession(&library_.env(), graph.c_str(), options, &made),
                 "ort:" + settings_.target.text() + ": " + graph);
  return library_.own(made, library_.api().ReleaseSession);
}

// False: there is none, or not of this provider as it is now, which compiles anew.
bool SessionEncoder::open_compiled(const std::string& compiled) {
  if (compiled.empty()) return false;
  const auto placement = read_placement(nodes_file(compiled));
  std::error_code error;
  if (!placement || !fs::exists(compiled, error)) return false;
  try {
    session_ = make(options().get(), compiled);
  } catch (const npu::DeviceError&) {
    fs::remove(compiled, error);
    return false;
  }
  placement_ = *placement;
  was_compiled_ = true;
  return true;
}

// Compiles, and keeps the result where the provider gives one: some refuse to, which tells nothing
// of the graph. Files get their names when they are whole, the compiled graph last.
void SessionEncoder::compile(const OrtModel& model) {
  const std::string part = model.compiled + "." + std::to_string(::getpid()) + ".part";
  if (!model.compiled.empty()) {
    const OrtOwned<OrtSessionOptions> keeping = options();
    set(library_, keeping.get(), "ep.context_enable", "1");
    set(library_, keeping.get(), "ep.context_file_path", part);
    set(library_, keeping.get(), "ep.context_embed_mode", "1");
    try {
      session_ = make(keeping.get(), model.graph);
    } catch (const npu::DeviceError&) {
    }
  }
  if (!session_) session_ = make(options().get(), model.graph);
  placement_ = placement_of(library_, session_.get(), settings_.target);
  std::error_code error;
  if (model.compiled.empty() || !fs::exists(part, error)) return;
  const std::string nodes = nodes_file(part);
  if (write_placement(nodes, placement_)) {
    fs::rename(nodes, nodes_file(model.compiled), error);
    if (!error) fs::rename(part, model.compiled, error);
  }
  fs::remove(nodes, error);
  fs::remove(part, error);
}

OrtOwned<OrtValue> SessionEncoder::tensor(std::span<float> values,
                                          std::array<std::int64_t, 3> shape) const {
  OrtValue* made = nullptr;
  library_.check(library_.api().CreateTensorWithDataAsOrtValue(
                     memory_.get(), values.data(), values.size_bytes(), shape.data(), shape.size(),
                     ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &made),
                 "tensor");
  return library_.own(made, library_.api().ReleaseValue);
}

void SessionEncoder::encode(const models::LogMel& mel, models::EncoderStates& out,
                            const std::function<bool()>& should_stop) {
  if (should_stop && should_stop()) throw models::Stopped();
  if (out.values.rows() != dims_.n_audio_ctx || out.values.cols() != dims_.n_audio_state) {
    out.values = models::Matrix(dims_.n_audio_ctx, dims_.n_audio_state);
  }
  out.pooled = {};
  const std::span<const float> heard = mel.values.flat();
  const auto n = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  // The runtime only reads its inputs.
  const auto input = tensor({const_cast<float*>(heard.data()), heard.size()},  // NOLINT
                            {1, n(dims_.n_mels), n(dims_.n_mel_frames())});
  const auto output = tensor(out.values.flat(), {1, n(dims_.n_audio_ctx), n(dims_.n_audio_state)});
  const OrtValue* const inputs = input.get();
  OrtValue* outputs = output.get();
  library_.check(
      library_.api().Run(session_.get(), nullptr, &kInput, &inputs, 1, &kOutput, 1, &outputs),
      "ort:" + settings_.target.text());
  if (should_stop && should_stop()) throw models::Stopped();
}

}  // namespace

std::string check_ort(const OrtSettings& settings) {
  const OrtLibrary& library = open_library(settings.places);
  check_provider(library, settings.target);
  return library.version();
}

std::unique_ptr<OrtEncoder> open_ort(const OrtSettings& settings, const OrtModel& model) {
  return std::make_unique<SessionEncoder>(settings, model);
}

}  // namespace wnpu::encoder
