#include "app/jobs/rows/row_job.h"

#include <memory>
#include <ostream>

#include "app/input/url_inputs.h"
#include "app/jobs/rows/row_engine.h"
#include "app/jobs/rows/row_fields.h"
#include "app/jobs/rows/row_run.h"
#include "app/jobs/rows/text_options.h"
#include "app/model_store/ready_model.h"
#include "app/system/signals.h"

namespace wnpu::app {

int do_rows(const Options& asked, const Environment& environment, const RowJob& job) {
  Options options = asked;
  check_row_urls(options);
  Messages messages(*environment.err, options.verbosity, false);
  make_model_ready(options, messages);
  const auto model_sha256 = std::make_shared<std::string>();
  RowOrigin origin{"", options_sha256(options)};
  const auto on_ready = [&](const std::string& sha256) {
    *model_sha256 = origin.model_sha256 = sha256;
    job.on_ready(origin);
    keep_results_when_stopped();
  };
  const auto take = [&](const RowResult& result) {
    RowResult whole = result;
    whole.fields["model_sha256"] = origin.model_sha256;
    whole.fields["options_sha256"] = origin.options_sha256;
    job.take(whole, result_line(whole.row, whole.fields));
  };
  return run_rows({.limits = options.rows,
                   .is_isolated = options.isolation != Isolation::off,
                   .input = job.input,
                   .input_name = job.input_name,
                   .output = job.output,
                   .reader = job.reader,
                   .is_wanted = job.is_wanted,
                   .serve = engine_for_rows(options, model_sha256),
                   .on_ready = on_ready,
                   .take = take,
                   .stop_signal = environment.stop_signal,
                   .messages = messages});
}

}  // namespace wnpu::app
