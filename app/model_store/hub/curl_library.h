// libcurl, loaded when something is pulled: a transcription never needs it, and it brings two dozen
// libraries.
#pragma once

#include <curl/curl.h>

namespace wnpu::app {

struct CurlLibrary {
  decltype(&curl_easy_init) init = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_easy_setopt) setopt = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_getinfo) getinfo = nullptr;
  decltype(&curl_easy_strerror) strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
};

// From the first call to the end of the process. Throws LibraryError where it is not installed.
const CurlLibrary& curl_library();

}  // namespace wnpu::app
