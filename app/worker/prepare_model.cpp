#include "app/worker/prepare_model.h"

#include <iostream>

#include "app/batch/progress.h"
#include "app/hub/offer.h"
#include "app/packed/packed_file.h"

namespace wnpu::app {

void prepare_model(const Options& options) {
  Messages messages(std::cerr, options.verbosity, false);
  pull_missing_model(options, std::cin, std::cerr);
  renew_packed_model(options, messages);
}

}  // namespace wnpu::app
