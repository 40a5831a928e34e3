// Which rows of a manifest are measured in the place of all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace wnpu::app {

// Numbers of `size` rows, or of all where there are no more, in the manifest's order. The rows are
// put in order by duration and cut into `size` parts with equally many windows; one row of each
// part is drawn. Of a row that fills several parts the others are drawn from all that is left. The
// same durations give the same rows.
std::vector<std::size_t> stratified_sample(std::span<const double> durations_s, std::size_t size);

}  // namespace wnpu::app
