#include "app/model_store/hub/curl_library.h"

#include "models/base/shared_library.h"

namespace wnpu::app {
namespace {

CurlLibrary load_curl() {
  const models::SharedLibrary<> library("libcurl.so.4", "libcurl", "libcurl4");
  decltype(&curl_global_init) global_init = nullptr;
  CurlLibrary curl;
  library.find("curl_global_init", global_init);
  library.find("curl_easy_init", curl.init);
  library.find("curl_easy_cleanup", curl.cleanup);
  library.find("curl_easy_setopt", curl.setopt);
  library.find("curl_easy_perform", curl.perform);
  library.find("curl_easy_getinfo", curl.getinfo);
  library.find("curl_easy_strerror", curl.strerror);
  library.find("curl_slist_append", curl.slist_append);
  library.find("curl_slist_free_all", curl.slist_free_all);
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) library.fail("libcurl", "it not to start");
  return curl;
}

}  // namespace

const CurlLibrary& curl_library() {
  static const CurlLibrary kLibrary = load_curl();
  return kLibrary;
}

}  // namespace wnpu::app
