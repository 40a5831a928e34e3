#include "app/model_store/hub/curl_library.h"

#include <dlfcn.h>
#include <string>

#include "models/base/error.h"
#include "models/base/folder.h"

namespace wnpu::app {
namespace {

constexpr const char* kCurl = "libcurl.so.4";

[[noreturn]] void fail_without_curl(const std::string& found) {
  throw models::LibraryError(std::string(kCurl) + ": expected libcurl, found " + found +
                             " (Debian's package: libcurl4)");
}

template <typename Function>
void find_in_curl(void* library, const char* name, Function& found) {
  found = reinterpret_cast<Function>(::dlsym(library, name));  // NOLINT: as dlsym(3) says
  if (found == nullptr) fail_without_curl(std::string("it without ") + name);
}

CurlLibrary load_curl() {
  void* const library = ::dlopen(kCurl, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string found = ::dlerror();
    models::check_can_open_files(kCurl);
    fail_without_curl(found);
  }
  decltype(&curl_global_init) global_init = nullptr;
  CurlLibrary curl;
  find_in_curl(library, "curl_global_init", global_init);
  find_in_curl(library, "curl_easy_init", curl.init);
  find_in_curl(library, "curl_easy_cleanup", curl.cleanup);
  find_in_curl(library, "curl_easy_setopt", curl.setopt);
  find_in_curl(library, "curl_easy_perform", curl.perform);
  find_in_curl(library, "curl_easy_getinfo", curl.getinfo);
  find_in_curl(library, "curl_easy_strerror", curl.strerror);
  find_in_curl(library, "curl_slist_append", curl.slist_append);
  find_in_curl(library, "curl_slist_free_all", curl.slist_free_all);
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) fail_without_curl("it not to start");
  return curl;
}

}  // namespace

const CurlLibrary& curl_library() {
  static const CurlLibrary kLibrary = load_curl();
  return kLibrary;
}

}  // namespace wnpu::app
