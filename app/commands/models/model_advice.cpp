#include "app/commands/models/model_advice.h"

#include <array>
#include <unistd.h>

#include "app/engine/available_cpus.h"
#include "app/model_store/hub/catalogue.h"
#include "app/model_store/memory_need.h"
#include "models/base/dims.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu::app {
namespace {

using models::Dims;

// Multilingual, each with fewer word errors than the one before it.
constexpr std::array<std::string_view, 6> kByErrors = {"tiny",   "base",           "small",
                                                       "medium", "large-v3-turbo", "large-v3"};
constexpr double kLeastTimesRealTime = 5;

// Measured with tiny.en and base on two threads of an AMD EPYC (bench/results): products of a
// thread in a second, of bytes, and without such instructions in int8 and in fp32; and bytes of
// weights that a decoder's step reads in a second.
constexpr double kByteProducts = 173e9;
constexpr double kIntegerProducts = 65e9;
constexpr double kFloatProducts = 45e9;
constexpr double kReadBytes = 25e9;
// Steps of a beam search a window, with what is not weights.
constexpr double kStepsOfWindow = 150;
constexpr double kWindowSeconds = 30;

// distil-whisper's: English alone, whatever their vocabulary.
constexpr std::string_view kDistil = "distil-";

// distil-whisper's encoders are those of the model in their name.
std::optional<Dims> dims_of(std::string_view name) {
  constexpr std::string_view kEnglish = ".en";
  const bool is_distil = name.starts_with(kDistil);
  const bool is_english = name.ends_with(kEnglish);
  if (is_distil) name.remove_prefix(kDistil.size());
  if (is_english) name.remove_suffix(kEnglish.size());
  const bool is_first_large = name == "large-v1" || name == "large-v2";
  if (is_first_large || name == "large-v3.5") name = "large-v3";
  auto dims = models::dims_of_size(name);
  if (!dims) return {};
  if (is_distil) dims->n_text_layer = name == "small" ? 4 : 2;
  if (is_english) dims->n_vocab = 51864;
  if (is_first_large) {
    dims->n_mels = 80;
    dims->n_vocab = 51865;
  }
  return dims;
}

double products_a_second(const Host& host) {
  if (host.precision == models::Precision::fp32) return kFloatProducts;
  return host.multiplies_bytes ? kByteProducts : kIntegerProducts;
}

double seconds_a_window(const Dims& dims, const Host& host) {
  const auto width = static_cast<double>(dims.n_audio_state);
  const auto positions = static_cast<double>(dims.n_audio_ctx);
  const double layer = positions * 12 * width * width + 2 * positions * positions * width;
  const double step_bytes = static_cast<double>(dims.n_text_layer) * 16 * width * width +
                            static_cast<double>(dims.n_vocab) * width;
  return static_cast<double>(dims.n_audio_layer) * layer /
             (products_a_second(host) * host.threads) +
         kStepsOfWindow * step_bytes / kReadBytes;
}

}  // namespace

Host this_host() {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const models::Precision precision = models::auto_precision();
  return {available_cpus(), pages * page_bytes, precision,
          precision == models::Precision::int8 && kernels::has_byte_instructions()};
}

std::optional<ModelNeeds> needs_of(std::string_view name, const Host& host) {
  const auto dims = dims_of(name);
  if (!dims) return {};
  ModelFacts facts{.dims = *dims};
  facts.is_f16 = true;
  // Pages of the largest matrices, as facts_of() finds them in a file of f16.
  facts.file_bytes = 2 * dims->n_text_state * (dims->n_vocab + 16 * dims->n_text_state);
  const WorkSize work{.precision = host.precision,
                      .threads = host.threads,
                      .sequences = 5,
                      .beams = 5,
                      .feature_bytes = 64 * kMiB};
  const bool knows_english_alone = !dims->is_multilingual() || name.starts_with(kDistil);
  return ModelNeeds{knows_english_alone ? 1 : dims->n_languages(), memory_need(facts, work).total(),
                    kWindowSeconds / seconds_a_window(*dims, host)};
}

ModelAdvice advice_for(const Host& host) {
  std::string other(kByErrors.front());
  for (const std::string_view name : kByErrors) {
    const ModelNeeds needs = needs_of(name, host).value();
    if (needs.memory_bytes <= host.memory_bytes / 2 && needs.times_real_time >= kLeastTimesRealTime)
      other = name;
  }
  const std::string english = other + ".en";
  return {find_hub_model(english) != nullptr ? english : other, other};
}

}  // namespace wnpu::app
