#include "bench/core/peers_environment.h"

#include <stdexcept>
#include <system_error>

#include "app/engine/model_path.h"

namespace wnpu::bench {

namespace fs = std::filesystem;

fs::path peers_folder() { return app::model_folder() / "peers"; }

std::string peers_python(const std::string& peer) {
  const fs::path native = peers_folder() / "venv-native" / "bin" / "python";
  if (peer == "whisper.cpp" && fs::exists(native)) return native.string();
  return (peers_folder() / "venv" / "bin" / "python").string();
}

fs::path bench_script(const std::string& name) {
  std::error_code error;  // what may not be looked at is not there
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  fs::path script = (program.parent_path() / "../share/whisper-npu" / name).lexically_normal();
  if (!fs::exists(script, error)) {
    throw std::runtime_error("no " + script.string() + ": cmake --install puts it there");
  }
  return script;
}

}  // namespace wnpu::bench
