#include "app/jobs/rows/row.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "app/formats/text_table.h"
#include "app/options/exit_code.h"
#include "app/system/url.h"
#include "models/base/utf8.h"
#include "models/text/vocabulary.h"

namespace wnpu::app {
namespace {

using nlohmann::json;

constexpr std::string_view kJsonSpaces = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// As far as the engine's times go.
constexpr double kMostRowSeconds = 1e8;

struct RowFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Value as a message shows it: of a long one, the beginning.
std::string found(const json& value) {
  constexpr std::size_t kMost = 80;
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

[[noreturn]] void refuse_row(const std::string& name, const std::string& expected,
                             const json& value) {
  throw RowFault(name + ": expected " + expected + ", found " + found(value));
}

std::string text_of_column(const std::string& name, const json& value) {
  if (!value.is_string()) refuse_row(name, "a text", value);
  return value;
}

double seconds_of_column(const std::string& name, const json& value, bool may_be_zero) {
  const double seconds = value.is_number() ? value.get<double>() : -1;
  const bool is_right = seconds <= kMostRowSeconds && (may_be_zero ? seconds >= 0 : seconds > 0);
  if (!is_right) refuse_row(name, may_be_zero ? "seconds from 0 on" : "seconds above 0", value);
  return seconds;
}

// The path that it names, below `folder` where it is relative; or the URL that it is.
std::string audio_path(const std::string& named, const std::filesystem::path& folder,
                       bool takes_urls) {
  std::string path = named;
  if (is_web_url(named)) {
    if (takes_urls) return named;
    throw RowFault("audio_filepath: expected a path or file:///path, found " +
                   found(shown_url(named)) + "; --allow-urls fetches it");
  }
  if (!scheme_of(named).empty()) {
    const auto there = path_in_file_url(named);
    if (!there) {
      throw RowFault("audio_filepath: expected a path or file:///path, found " +
                     found(shown_url(named)));
    }
    const auto decoded = percent_decoded(*there);
    if (!decoded) {
      throw RowFault("audio_filepath: expected two hex digits after each %, found " +
                     found(std::string(*there)));
    }
    path = *decoded;
  }
  if (path.empty() || path.find('\0') != std::string::npos) {
    refuse_row("audio_filepath", "the path of a file", named);
  }
  if (folder.empty()) return path == "-" ? "./-" : path;  // "-" would be stdin
  return (folder / path).string();
}

void read_language(const json& value, Row& row) {
  const std::string text = text_of_column("lang", value);
  if (text.empty() || text == "auto") return;
  const auto code = models::find_language(text);
  if (!code) refuse_row("lang", "a language that Whisper knows", value);
  row.language = *code;
  if (models::is_other_code(text)) row.language_tag = text;
}

// The end of the JSON string that begins at `at`, behind its closing quote.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// The end of the value that begins at `at`: the comma or bracket behind it.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  for (std::size_t depth = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}')) break;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
  }
  return at;
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kJsonSpaces), text.size());
  const std::size_t end = text.find_last_not_of(kJsonSpaces);
  return text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

// The value as it was written.
std::string text_of_value(const Column& column) {
  return column.text.substr(end_of_string(column.text, 0) + 1);
}

json column_value(const Column& column) {
  const std::string text = text_of_value(column);
  try {
    return json::parse(text);
  } catch (const json::exception&) {  // the object is valid JSON: a number is too large
    throw RowFault(column.name + ": expected a number that a double holds, found " + found(text));
  }
}

bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

// So many digits of `text` from `at` on.
std::size_t n_digits(std::string_view text, std::size_t at) {
  const std::size_t begin = at;
  while (at < text.size() && is_json_digit(text[at])) ++at;
  return at - begin;
}

std::string id_of_column(const Column& column, const json& value) {
  if (value.is_string()) return value.dump();
  if (!value.is_number()) refuse_row("id", "a text or a number", value);
  return text_of_value(column);
}

void read_column(const Column& column, Row& row, std::string& audio) {
  static const std::set<std::string_view> kKnown{"audio_filepath", "offset", "duration",
                                                 "lang",           "text",   "id"};
  if (!kKnown.contains(column.name)) return;
  const json value = column_value(column);
  if (value.is_null()) return;
  if (column.name == "audio_filepath") audio = text_of_column(column.name, value);
  if (column.name == "offset") row.offset_s = seconds_of_column(column.name, value, true);
  if (column.name == "duration") row.duration_s = seconds_of_column(column.name, value, false);
  if (column.name == "lang") read_language(value, row);
  if (column.name == "text") row.text = text_of_column(column.name, value);
  if (column.name == "id") {
    row.id = id_of_column(column, value);
    row.has_own_id = true;
  }
}

void check_names(const std::vector<Column>& columns) {
  std::set<std::string_view> names;
  for (const Column& column : columns) {
    if (!names.insert(column.name).second) {
      throw RowFault("expected each column once, found two called " + json(column.name).dump());
    }
  }
}

}  // namespace

void read_rows(int descriptor, const std::string& name, RowReader& reader,
               const std::function<void(const Row&, const Line&)>& take) {
  read_lines(descriptor, name, kLongestLine, [&](const Line& line) {
    if (line.number == 1 && models::is_utf16(line.text)) {
      throw UsageError(name + ": " + models::kWantsUtf8);
    }
    if (const auto row = reader.read(line)) take(*row, line);
  });
}

std::string with_finite_numbers(std::string_view text) {
  constexpr std::size_t kMostDigits = 100;  // of a mantissa
  constexpr std::size_t kExponentDigits = 2;
  std::string finite;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    std::size_t most = 1;
    if (c == '"') {
      end = end_of_string(text, at);
      most = end - at;
    } else if (is_json_digit(c)) {
      end = at + n_digits(text, at);
      most = kMostDigits;
    } else if ((c == 'e' || c == 'E') && at > 0 && is_json_digit(text[at - 1])) {
      const std::size_t digits = at + (text.substr(at + 1).find_first_of("+-") == 0 ? 2 : 1);
      end = digits + n_digits(text, digits);
      most = digits - at + kExponentDigits;
    }
    finite += text.substr(at, std::min(most, end - at));
    at = end;
  }
  return finite;
}

std::vector<Column> columns_of(std::string_view object) {
  std::vector<Column> columns;
  std::size_t at = std::min(object.find('{'), object.size());
  while (true) {
    at = object.find('"', at);
    if (at == std::string_view::npos) return columns;
    const std::size_t name_end = end_of_string(object, at);
    const std::string name(object.substr(at, name_end - at));
    const std::size_t value = std::min(object.find(':', name_end), object.size() - 1) + 1;
    at = end_of_value(object, value);
    columns.push_back({json::parse(name).get<std::string>(),
                       name + ":" + std::string(without_spaces(object.substr(value, at - value)))});
  }
}

std::string id_of_object(std::string_view object) {
  const std::vector<Column> columns = columns_of(object);
  const auto id = std::ranges::find(columns, "id", &Column::name);
  if (id == columns.end()) return json::object().at("id");  // throws
  const json value = column_value(*id);
  return value.is_number() ? text_of_value(*id) : value.dump();
}

std::optional<Row> RowReader::read(const Line& line) {
  std::string_view text = line.text;
  if (line.number == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(3);
  text = without_spaces(text);
  if (text.empty() && !line.is_too_long) return std::nullopt;
  Row row;
  row.line = line.number;
  try {
    if (line.is_too_long) {
      throw RowFault("expected a line of at most " + std::to_string(kLongestLine) + " bytes");
    }
    if (models::is_utf16(text)) throw RowFault(models::kWantsUtf8);
    // To the library's parser a zero byte is the end, whatever comes behind it.
    if (!text.starts_with('{') || text.find('\0') != text.npos ||
        !json::accept(with_finite_numbers(text))) {
      throw RowFault("expected a JSON object on a line, found " + found(std::string(text)));
    }
    row.columns = columns_of(text);
    std::string audio;
    // First the id, by which a row with a fault is known.
    const auto is_id = [](const Column& column) { return column.name == "id"; };
    if (std::ranges::count_if(row.columns, is_id) == 1) {
      read_column(*std::ranges::find_if(row.columns, is_id), row, audio);
    }
    check_names(row.columns);
    for (const Column& column : row.columns) {
      if (!is_id(column)) read_column(column, row, audio);
    }
    if (audio.empty()) throw RowFault("audio_filepath: expected a path, found none");
    row.path = audio_path(audio, folder_, takes_urls_);
    if (!row.has_own_id) row.id = id_of(audio, row);
  } catch (const RowFault& fault) {
    row.fault = fault.what();
  }
  return row;
}

std::string RowReader::id_of(const std::string& audio, const Row& row) {
  constexpr std::size_t kIdDigits = 16;
  const std::string duration = row.duration_s ? decimal("%.6f", *row.duration_s) : "";
  const std::string hex = sha256_(audio + "\n" + decimal("%.6f", row.offset_s) + "\n" + duration);
  return '"' + hex.substr(0, kIdDigits) + '"';
}

}  // namespace wnpu::app
