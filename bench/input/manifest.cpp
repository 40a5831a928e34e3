#include "bench/input/manifest.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "models/base/utf8.h"

namespace wnpu::bench {
namespace {

struct Row {
  std::size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};

// Splits a whole file; a quoted field may hold tabs and line ends.
class TsvReader {
 public:
  explicit TsvReader(const std::filesystem::path& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      throw std::runtime_error(path.string() + ": expected a manifest, found no readable file");
    }
    text_.assign(std::istreambuf_iterator<char>(file), {});
    if (models::is_utf16(text_)) fail(1, models::kWantsUtf8);
  }

  std::vector<Row> rows() {
    std::vector<Row> rows;
    while (at_ < text_.size()) {
      rows.push_back({line_, {}});
      do {
        rows.back().fields.push_back(field());
      } while (take('\t'));
      take('\r');
      if (at_ < text_.size() && !take('\n')) {
        fail(line_, "expected a tab or the line's end after a closing quote");
      }
      ++line_;
    }
    return rows;
  }

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw std::runtime_error(path_.string() + ":" + std::to_string(line) + ": " + what);
  }

 private:
  bool take(char c) {
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found ? 1 : 0;
    return found;
  }

  std::string field() { return take('"') ? quoted_field() : plain_field(); }

  std::string plain_field() {
    const std::size_t end = std::min(text_.find_first_of("\t\r\n", at_), text_.size());
    std::string value = text_.substr(at_, end - at_);
    at_ = end;
    return value;
  }

  std::string quoted_field() {
    const std::size_t first_line = line_;
    std::string value;
    for (; at_ < text_.size(); ++at_) {
      line_ += text_[at_] == '\n' ? 1 : 0;
      if (text_[at_] == '"' && text_.substr(at_ + 1, 1) != "\"") {
        ++at_;
        return value;
      }
      at_ += text_[at_] == '"' ? 1 : 0;
      value.push_back(text_[at_]);
    }
    fail(first_line, "expected a closing quote, found the end of the file");
  }

  std::filesystem::path path_;
  std::string text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

std::optional<double> parse_duration(const TsvReader& reader, std::size_t line,
                                     const std::string& field) {
  if (field == "-") {
    return std::nullopt;
  }
  double value = 0;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  // from_chars takes nan and inf too.
  if (error != std::errc{} || stop != end || !std::isfinite(value) || value < 0) {
    reader.fail(line, "duration_s: expected seconds or -, found " + field);
  }
  return value;
}

}  // namespace

std::vector<ManifestEntry> read_manifest(const std::filesystem::path& path) {
  TsvReader reader(path);
  const std::vector<Row> rows = reader.rows();
  const auto column = [&](std::string_view name) {
    const std::vector<std::string> header =
        rows.empty() ? std::vector<std::string>{} : rows[0].fields;
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) {
      reader.fail(1, "expected a column " + std::string(name) + " in the header, found none");
    }
    return static_cast<std::size_t>(found - header.begin());
  };
  const std::size_t file = column("file");
  const std::size_t duration = column("duration_s");
  const std::size_t reference = column("reference");
  const std::size_t kind = column("kind");
  const std::size_t language = column("lang");

  std::vector<ManifestEntry> entries;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto& [line, fields] = rows[i];
    if (fields.size() != rows[0].fields.size()) {
      reader.fail(line, "expected " + std::to_string(rows[0].fields.size()) + " fields, found " +
                            std::to_string(fields.size()));
    }
    const bool has_reference = fields[reference] != "-" && !fields[reference].empty();
    entries.push_back({fields[file], parse_duration(reader, line, fields[duration]),
                       has_reference ? std::optional(fields[reference]) : std::nullopt,
                       fields[kind], fields[language]});
  }
  return entries;
}

}  // namespace wnpu::bench
