// libcurl, loaded when something is pulled: a transcription never needs it, and it brings two dozen
// libraries.
#pragma once

#include <curl/curl.h>

#include "models/base/shared_library.h"

namespace wnpu::app {

struct CurlLibrary {
  CurlLibrary() {
    if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) library.fail("libcurl", "it not to start");
  }

  models::SharedLibrary<> library{"libcurl.so.4", "libcurl", "libcurl4"};
  decltype(&curl_global_init) global_init = library.find("curl_global_init");
  decltype(&curl_easy_init) init = library.find("curl_easy_init");
  decltype(&curl_easy_cleanup) cleanup = library.find("curl_easy_cleanup");
  decltype(&curl_easy_setopt) setopt = library.find("curl_easy_setopt");
  decltype(&curl_easy_perform) perform = library.find("curl_easy_perform");
  decltype(&curl_easy_getinfo) getinfo = library.find("curl_easy_getinfo");
  decltype(&curl_easy_strerror) strerror = library.find("curl_easy_strerror");
  decltype(&curl_slist_append) slist_append = library.find("curl_slist_append");
  decltype(&curl_slist_free_all) slist_free_all = library.find("curl_slist_free_all");
};

// From the first call to the end of the process. Throws LibraryError where it is not installed.
inline const CurlLibrary& curl_library() {
  static const CurlLibrary kLibrary;
  return kLibrary;
}

}  // namespace wnpu::app
