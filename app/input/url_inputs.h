// Inputs that are named by URL.
#pragma once

#include "app/options/options.h"

namespace wnpu::app {

// The options with the path in the place of file:///path, and what may be shown in the place of
// each URL of http and https, which is in `urls` then. Throws UsageError for another scheme, and
// where a URL may not be fetched: among several inputs without --allow-urls, or with --offline.
Options with_urls(Options options);

// Throws UsageError where rows' URLs are to be fetched and nothing may be.
void check_row_urls(const Options& options);

}  // namespace wnpu::app
