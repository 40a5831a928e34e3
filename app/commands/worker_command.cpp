#include "app/commands/worker_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "app/jobs/process.h"
#include "app/jobs/rows/row_job.h"
#include "app/options/option_values.h"
#include "app/options/output_options.h"
#include "app/options/work_options.h"
#include "app/system/progress.h"
#include "app/system/write_all.h"

namespace wnpu::app {
namespace {

constexpr const char* kStdin = "-";

void add_worker_options(CLI::App& app, Options& options) {
  options.manifest.file = kStdin;
  add_group(app, "Rows", [&] {
    add_row_options(app, options.rows);
    add_url_options(app, options);
    add_isolation(app, options.isolation, "auto: yes");
    app.add_flag_callback(
        "-q,--quiet", [&options] { options.verbosity = Verbosity::quiet; },
        "Only errors on stderr");
    add_log_format(app, options.log_format);
  });
  add_work_options(app, options);
  app.get_option("--batch-size")
      ->description("Rows that are decoded together, each as if it were alone")
      ->default_str(std::to_string(options.rows.n_together));
  add_group(app, "Model and device", [&] { add_pull_options(app, options); });
}

int work(const Options& options, const std::vector<std::string>& /*files*/) {
  use_log_format(options.log_format);
  RowReader reader("", options.allows_urls);
  const auto print = [](const RowResult&, const std::string& line) {
    write_all(STDOUT_FILENO, line, "stdout");
  };
  return do_rows(options, environment_of_process(options),
                 {.input = STDIN_FILENO,
                  .input_name = "stdin",
                  .output = STDOUT_FILENO,
                  .reader = reader,
                  .take = print});
}

}  // namespace

Subcommand worker_command() {
  return subcommand("worker",
                    "Rows on stdin (JSON lines that name recordings) to results on stdout",
                    add_worker_options, work);
}

}  // namespace wnpu::app
