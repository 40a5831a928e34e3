// Recordings that are named by URL: which scheme, what of it may be shown, which name its file has.
// Text alone; nothing is fetched or looked at here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wnpu::app {

// "https" of "HTTPS://host/talk.mp3"; empty where it is a path.
std::string scheme_of(std::string_view text);

// Whether it is fetched over a network.
bool is_web_url(std::string_view text);

// Without user, password, query and fragment, each of which may be a secret.
std::string shown_url(std::string_view url);

// File name of a URL's recording: the last part of the URL's path that has a name, with its %XX
// decoded if that gives a name of one part, else as it is written; "recording" if there is none.
std::string name_in_url(std::string_view url);

// With the bytes that its %XX stand for; nothing where two hex digits are not behind each %.
std::optional<std::string> percent_decoded(std::string_view text);

// The path in file:///path or file://localhost/path, its %XX as they are; nothing where the URL is
// none of these.
std::optional<std::string_view> path_in_file_url(std::string_view url);

}  // namespace wnpu::app
