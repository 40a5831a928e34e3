// JSON from outside: a model's configuration, a result of bench.
#include "app/options/exit_code.h"
#include "bench/gate/baseline.h"
#include "models/base/error.h"
#include "models/base/json_file.h"
#include "tests/fuzz/input_folder.h"

namespace {

using namespace wnpu;

template <typename Error, typename Read>
void read_or_refuse(Read read) {
  try {
    read();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFolder folder(fuzz::kTextBytes);
  folder.write(fuzz::as_text(data, size), {"input.json"});
  const std::filesystem::path path = folder.path() / "input.json";
  read_or_refuse<models::ModelError>([&] {
    const nlohmann::json json = models::read_json(path, fuzz::kTextBytes / 2);
    const std::string name = "input.json";
    read_or_refuse<models::ModelError>([&] { models::size_at(json, "n", name); });
    read_or_refuse<models::ModelError>([&] { models::ids_at(json, "ids", 51864, name); });
    read_or_refuse<models::ModelError>([&] { models::pairs_at(json, "pairs", {4, 6}, name); });
  });
  read_or_refuse<app::UsageError>([&] { bench::read_baseline(path); });
  return 0;
}
