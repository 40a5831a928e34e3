// Events in folders, by inotify(7).
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/base/descriptor.h"

namespace wnpu::app {

class FolderEvents {
 public:
  FolderEvents();

  // From now on what happens in this folder is told; a folder that was added before has its new
  // name. Before its contents are listed, so that nothing comes in between. False where it is no
  // folder any more. Throws Error(resources) where the kernel allows no more of them.
  bool add(const std::string& folder);
  // Stops watching folders that were not added again since the last call.
  void drop_others();

  struct News {
    std::vector<std::string> gone;   // removed, or renamed from; before any of `files`
    std::vector<std::string> files;  // written to and closed, renamed to, or made
    // A folder came or went, or more happened than the kernel keeps: only a look tells.
    bool looks_again = false;
  };
  // Waits that long for the first of them.
  News wait(std::chrono::milliseconds longest);

 private:
  void read(News& news);

  models::Descriptor queue_;
  std::map<int, std::string> folders_;  // by their number in the queue
  std::set<int> added_;
};

}  // namespace wnpu::app
