#include "app/system/url.h"

#include <algorithm>

namespace wnpu::app {
namespace {

constexpr std::string_view kBehindScheme = "://";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// RFC 3986, 3.1.
bool is_scheme_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

std::string_view behind_scheme(std::string_view url) {
  return url.substr(url.find(kBehindScheme) + kBehindScheme.size());
}

// Up to the path, the query or the fragment.
std::string_view authority_of(std::string_view behind) {
  return behind.substr(0, behind.find_first_of("/?#"));
}

// A name that leads nowhere else, and moves no cursor.
bool is_file_name(std::string_view name) {
  const auto is_odd = [](char c) {
    return c == '/' || static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
  };
  return !name.empty() && name != "." && name != ".." && std::ranges::none_of(name, is_odd);
}

}  // namespace

std::string scheme_of(std::string_view text) {
  const std::size_t end = text.find(kBehindScheme);
  if (end == std::string_view::npos) return "";
  std::string scheme(text.substr(0, end));
  std::ranges::transform(scheme, scheme.begin(), lower_letter);
  return std::ranges::all_of(scheme, is_scheme_letter) ? scheme : "";
}

bool is_web_url(std::string_view text) {
  const std::string scheme = scheme_of(text);
  return scheme == "http" || scheme == "https";
}

std::string shown_url(std::string_view url) {
  const std::string_view behind = behind_scheme(url);
  const std::string_view authority = authority_of(behind);
  const std::size_t user = authority.rfind('@');
  const std::string_view host =
      user == std::string_view::npos ? authority : authority.substr(user + 1);
  const std::string_view rest = behind.substr(authority.size());
  std::string shown = scheme_of(url);
  shown.append(kBehindScheme).append(host);
  return shown.append(rest.substr(0, rest.find_first_of("?#")));
}

std::string name_in_url(std::string_view url) {
  const std::string shown = shown_url(url);
  const std::string_view behind = behind_scheme(shown);
  std::string_view path = behind.substr(authority_of(behind).size());
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string_view written = path.substr(path.rfind('/') + 1);
  std::string decoded = percent_decoded(written).value_or("");
  if (is_file_name(decoded)) return decoded;
  return is_file_name(written) ? std::string(written) : "recording";
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

std::optional<std::string_view> path_in_file_url(std::string_view url) {
  if (scheme_of(url) != "file") return std::nullopt;
  const std::string_view behind = behind_scheme(url);
  const std::size_t root = behind.find('/');
  if (root == std::string_view::npos) return std::nullopt;
  const std::string_view host = behind.substr(0, root);
  if (!host.empty() && host != "localhost") return std::nullopt;
  return behind.substr(root);
}

}  // namespace wnpu::app
