// URLs as text: what is shown, which name a result gets.
#include "app/system/url.h"

#include <array>
#include <cstdio>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "app/input/url_inputs.h"
#include "app/options/exit_code.h"
#include "app/output/output_template.h"
#include "tests/support/text.h"

using namespace wnpu::app;

namespace {

std::string random_url_text(std::mt19937& random, const std::string& letters) {
  std::string text;
  for (std::size_t size = random() % 12; size > 0; --size) {
    text += letters[random() % letters.size()];
  }
  return text;
}

std::string encoded(const std::string& text) {
  std::string all;
  for (const char c : text) {
    std::array<char, 8> hex{};
    std::snprintf(hex.data(), hex.size(), "%%%02X",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    all += hex.data();
  }
  return all;
}

std::string fault_of(const Options& options) {
  return wnpu::tests::message_of<UsageError>([&] { with_urls(options); });
}

Options of(std::vector<std::string> inputs) {
  Options options;
  options.inputs = std::move(inputs);
  return options;
}

}  // namespace

TEST_CASE("url: which texts are URLs") {
  CHECK(scheme_of("HTTPS://host/x") == "https");
  CHECK(scheme_of("svn+ssh://host") == "svn+ssh");
  for (const char* path :
       {"", "talk.wav", "a:b//c", "/http://x", "./http://x", "a b://c", "://x", "ü://x"}) {
    CAPTURE(std::string(path));
    CHECK(scheme_of(path).empty());
    CHECK_FALSE(is_web_url(path));
  }
  CHECK(is_web_url("http://h"));
  CHECK(is_web_url("Https://h"));
  CHECK_FALSE(is_web_url("httpx://h"));
  CHECK_FALSE(is_web_url("file:///x"));
}

TEST_CASE("url: random ones are shown without what may be secret, and keep host and path") {
  std::mt19937 random(3);
  const std::string letters = "abcXYZ019-._~%:@!$&'()*+,;=";
  const std::string secret = "S3CRET";
  for (int round = 0; round < 2000; ++round) {
    const std::string host = "h" + random_url_text(random, "abc019-.") + ":80";
    std::string path;
    for (std::size_t n = random() % 4; n > 0; --n) path += "/" + random_url_text(random, letters);
    std::string url = "https://";
    if (random() % 2 == 0) url += random_url_text(random, letters) + ":" + secret + "@";
    url += host + path;
    if (random() % 2 == 0) url += "?" + random_url_text(random, letters + "/@#") + secret;
    if (random() % 2 == 0) url += "#" + random_url_text(random, letters + "/@?") + secret;
    CAPTURE(url);
    CHECK(shown_url(url) == "https://" + host + path);
    CHECK(name_in_url(url).find(secret) == std::string::npos);
  }
}

TEST_CASE("url: a result's name never leads elsewhere, whatever the path") {
  std::mt19937 random(4);
  const std::string bytes("\0\n\x1b\x7f/./..%2Ff0a ", 17);
  for (int round = 0; round < 2000; ++round) {
    std::string url = "http://h/";
    for (std::size_t n = random() % 3; n > 0; --n) {
      const std::string part = random_url_text(random, bytes);
      url += (random() % 2 == 0 ? encoded(part) : part) + "/";
    }
    CAPTURE(url);
    const std::string name = name_in_url(url);
    CHECK_FALSE(name.empty());
    CHECK(name.find('/') == std::string::npos);
    CHECK((name != "." && name != ".."));
    for (const char c : name) CHECK(static_cast<unsigned char>(c) >= 0x20);
  }
  CHECK(name_in_url("http://h/a/my%20talk.mp3?x=/y.wav") == "my talk.mp3");
  CHECK(name_in_url("http://h/a/%E6%97%A5.mp3") == "\xE6\x97\xA5.mp3");
  CHECK(name_in_url("http://h/talk.mp3///") == "talk.mp3");
  CHECK(name_in_url("http://h/a%2Fb%zz") == "a%2Fb%zz");
  CHECK(name_in_url("http://h") == "recording");
  CHECK(name_in_url("http://h/..") == "recording");
}

TEST_CASE("url: what was encoded is decoded") {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (std::size_t size = random() % 20; size > 0; --size)
      text += static_cast<char>(random() % 256);
    CHECK(percent_decoded(encoded(text)) == text);
    if (text.empty()) continue;
    const std::string all = encoded(text);
    CHECK_FALSE(percent_decoded(all.substr(0, all.size() - 1 - random() % 2)));
  }
  CHECK_FALSE(percent_decoded("%g0"));
}

TEST_CASE("url: inputs") {
  const std::string url = "https://user:pw@h/talk.mp3?key=1";
  const Options one = with_urls(of({url}));
  CHECK(one.inputs == std::vector<std::string>{"https://h/talk.mp3"});
  CHECK(one.urls.at("https://h/talk.mp3") == url);
  CHECK(stem_of(one.inputs[0]) == "talk");

  Options many = of({url, "a.wav", "https://h/talk.mp3?key=2", url});
  CHECK(fault_of(many).find("--allow-urls") != std::string::npos);
  CHECK(fault_of(many).find("pw") == std::string::npos);
  many.allows_urls = true;
  const Options all = with_urls(many);
  CHECK(all.inputs == std::vector<std::string>{"https://h/talk.mp3", "a.wav",
                                               "https://h/talk.mp3#2", "https://h/talk.mp3"});
  CHECK(all.urls.at("https://h/talk.mp3#2") == "https://h/talk.mp3?key=2");

  CHECK(with_urls(of({"file:///a%20b.wav"})).inputs[0] == "/a b.wav");
  for (const char* bad : {"ftp://h/x", "file://h/x", "file:///%zz", "file:///%00", "s3://b/x"}) {
    CAPTURE(std::string(bad));
    CHECK_FALSE(fault_of(of({bad})).empty());
  }
  Options offline = of({url});
  offline.offline = true;
  CHECK(fault_of(offline).find("--offline") != std::string::npos);
  offline.inputs = {"a.wav"};
  CHECK(fault_of(offline).empty());
  offline.allows_urls = true;
  CHECK_THROWS_AS(check_row_urls(offline), UsageError);
}
