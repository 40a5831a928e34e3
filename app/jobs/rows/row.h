// A row of a manifest: a JSON object on a line of its own, with NeMo's column names
// (row.schema.json).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/jobs/rows/line_splitter.h"
#include "app/system/sha256.h"

namespace wnpu::app {

// More than any text of a recording; a line may be no longer.
inline constexpr std::size_t kLongestLine = std::size_t{16} << 20U;

// A column as it came, so that what is not known here passes through to the last digit.
struct Column {
  std::string name;
  std::string text;  // of name and value: "\"offset\":1.50"
};

struct Row {
  std::size_t line = 0;         // of the manifest, from 1
  std::vector<Column> columns;  // as they came
  std::string id = "null";      // as JSON: a string, a number; null: a bad row that has none
  bool has_own_id = false;      // it is one of the columns
  std::string path;             // of the audio; or its URL, where these are taken
  double offset_s = 0;
  std::optional<double> duration_s;  // none: to the end
  std::string language;              // code; empty: as the options say
  std::string language_tag;          // `lang` as it came, where it is another word for that
  std::optional<std::string> text;   // what is said, to be compared with
  std::string fault;                 // what is wrong with it; empty: nothing
};

class RowReader {
 public:
  // Relative paths are below `folder`. URLs of http and https are faults unless they are taken.
  explicit RowReader(std::filesystem::path folder, bool takes_urls = false)
      : folder_(std::move(folder)), takes_urls_(takes_urls) {}

  // Whatever the line says: what cannot be read is a row with a fault. No row: an empty line.
  std::optional<Row> read(const Line& line);

 private:
  std::string id_of(const std::string& audio, const Row& row);

  std::filesystem::path folder_;
  bool takes_urls_;
  Sha256 sha256_;
};

// Rows of a manifest from its descriptor to its end, each with its line. Throws UsageError, with
// `name`, where it cannot be read or is UTF-16.
void read_rows(int descriptor, const std::string& name, RowReader& reader,
               const std::function<void(const Row&, const Line&)>& take);

// JSON with shorter numbers in place of those that no double holds (1e400), which nlohmann/json
// refuses, even in columns that nobody reads.
std::string with_finite_numbers(std::string_view text);

// The members of a JSON object, which must be valid; values as they were written.
std::vector<Column> columns_of(std::string_view object);

// The id of a result's line, which must be valid JSON, as Row::id has it: a number as it was
// written. Throws nlohmann::json::exception where it has none.
std::string id_of_object(std::string_view object);

}  // namespace wnpu::app
