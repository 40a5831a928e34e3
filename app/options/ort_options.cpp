#include "app/options/ort_options.h"

#include "app/engine/devices/ort_devices.h"
#include "app/options/option_values.h"

namespace wnpu::app {

void add_ort_places(CLI::App& app, OrtOptions& ort) {
  app.add_option("--ort-library", ort.library,
                 "ONNX Runtime's library, 1.24 or later, or a folder with it; if not given that of "
                 "the active Python environment, or the system's")
      ->type_name("PATH");
  app.add_option("--ort-plugin", ort.plugins,
                 "A library of a provider that is not part of it; repeatable")
      ->type_name("PATH");
}

void add_ort_options(CLI::App& app, OrtOptions& ort) {
  add_ort_places(app, ort);
  app.add_option("--ort-option", ort.options, "An option of the provider; repeatable")
      ->type_name("KEY=VALUE");
  add_name(app, "--ort-weights", kOrtWeights, ort.weights,
           "Type that the encoder's graph has its matrices in");
}

}  // namespace wnpu::app
