// A file of results that is added to, line by line, by one process at a time; what a killed one has
// left is gone on from.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "app/jobs/rows/row.h"
#include "models/base/descriptor.h"

namespace wnpu::app {

class ResultFile {
 public:
  enum class Opening {
    make,     // refused where something is there
    replace,  // what is there is emptied by begin()
    go_on     // made where nothing is there
  };

  // Changes nothing of what is there. Throws OutputError, also where another process writes it.
  ResultFile(std::filesystem::path path, Opening opening);
  // Syncs what has been added. A file that was made and has never begun is gone again.
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  int descriptor() const { return descriptor_.get(); }

  // Before results are added: the work can be done. Throws OutputError.
  void begin();
  // Its first bytes, at most so many. Throws OutputError.
  std::string first_bytes(std::size_t most) const;
  // Calls `take` for each line that is whole. Throws OutputError.
  void read(const LineSplitter::Take& take) const;
  // Cuts off a last line that has no end: its writer was killed. With `keeps`, lines that it does
  // not want as well, in one step.
  void clean(const std::function<bool(const Line&)>& keeps = {});
  // A line with its end, by one write; now and then all are synced. Throws OutputError.
  void add(std::string_view line);

 private:
  void open(int flags);
  void lock() const;
  void sync();

  std::filesystem::path path_;
  Opening opening_;
  models::Descriptor descriptor_;
  bool is_made_ = false;  // nothing was there, and it has not begun
  std::size_t n_unsynced_ = 0;
};

}  // namespace wnpu::app
