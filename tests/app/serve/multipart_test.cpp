#include "app/serve/http/multipart.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/few_samples.h"

using namespace wnpu::serve;

namespace {

// All that a parser tells: parts with their heads, and the error at the end, if any.
struct Told final : PartTaker {
  void begin_part(const PartHead& head) override {
    text += "[" + head.name + "|" + head.filename + "]";
  }
  void take_part(std::string_view bytes) override { text += bytes; }
  void end_part() override { text += "."; }

  std::string text;
};

std::string told_in_pieces(std::string_view body, const std::vector<std::size_t>& sizes) {
  Told told;
  MultipartParser parser("b", told);
  try {
    for (const std::size_t size : sizes) {
      parser.take(body.substr(0, size));
      body.remove_prefix(std::min(size, body.size()));
    }
    parser.take(body);
    parser.finish();
  } catch (const MultipartError& error) {
    told.text += std::string("!") + error.what();
  }
  return told.text;
}

std::string parts_of(std::string_view body) { return told_in_pieces(body, {}); }

std::string part(const std::string& head, const std::string& text) {
  return "--b\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + text + "\r\n";
}

bool fails(std::string_view body, std::string_view why) {
  const std::string told = parts_of(body);
  CAPTURE(told);
  return told.find('!') != std::string::npos && told.find(why) != std::string::npos;
}

}  // namespace

TEST_CASE("multipart: parts with what browsers and libraries write") {
  const std::string body =
      part("name=\"model\"", "tiny") +
      part("name=\"file\"; filename=\"a \\\"b\\\".wav\"", "RIFF\r\n--\r\n--x") +
      part("filename=talk.mp3; name=file", "") + "--b--\r\nepilogue";
  CHECK(parts_of(body) == "[model|]tiny.[file|a \"b\".wav]RIFF\r\n--\r\n--x.[file|talk.mp3].");
  CHECK(parts_of("preamble\r\n--b \t\r\nX: 1\r\ncontent-disposition:form-data;NAME=\"a\"\r\n\r\n"
                 "1\r\n--b--") == "[a|]1.");
  CHECK(parts_of("--b--") == "");
}

TEST_CASE("multipart: bodies that are none") {
  CHECK(fails("", "expected the boundary"));
  CHECK(fails("{\"a\": 1}", "expected the boundary"));
  CHECK(fails(part("name=a", "1"), "cut short"));
  CHECK(fails(part("name=a", "1") + "--b-", "cut short"));
  CHECK(fails("--b\r\nContent-Disposition: form-data; name=a", "cut short"));
  CHECK(fails("--bc\r\n", "line's end behind a boundary"));
  CHECK(fails("--b\r\n\r\n1\r\n--b--", "with a name"));
  CHECK(fails("--b\r\nX\r\n\r\n1\r\n--b--", "NAME: VALUE"));
  CHECK(fails("--b\r\nContent-Disposition: attachment; name=a\r\n\r\n", "with a name"));
  CHECK(fails("--b\r\nContent-Disposition: form-data; name=\"a\r\n\r\n", "with a name"));
  CHECK(fails("--b" + std::string(kMostPartHead + 1, ' '), "too many spaces"));
  CHECK(fails("--b\r\nX: " + std::string(kMostPartHead, 'x'), "bytes of header"));
  std::string many;
  for (std::size_t i = 0; i <= kMostParts; ++i) many += part("name=a", "");
  CHECK(fails(many, "parts, found more"));
}

TEST_CASE("multipart: boundaries of Content-Type") {
  CHECK(boundary_of("multipart/form-data; boundary=abc") == "abc");
  CHECK(boundary_of("Multipart/Form-Data;charset=utf-8; BOUNDARY=\"a b:c\"") == "a b:c");
  for (const char* none :
       {"", "application/json", "multipart/form-data", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"a", "multipart/form-data; boundary=\"a \"",
        "multipart/form-data; boundary=\"a\r\n\"", "multipart/mixed; boundary=a"}) {
    CAPTURE(none);
    CHECK(boundary_of(none) == "");
  }
  CHECK(boundary_of("multipart/form-data; boundary=" + std::string(71, 'a')) == "");
}

TEST_CASE("multipart: every way to cut a body gives the same") {
  const std::string body = "\r\n" + part("name=a", "\r\r\n-\r\n--\r\n--\r\n-b\r\n--") +
                           part("name=\"file\"; filename=x", "\r\n\r\n--\r\r\n--a") + "--b--";
  const std::string whole = parts_of(body);
  CHECK(whole == "[a|]\r\r\n-\r\n--\r\n--\r\n-b\r\n--.[file|x]\r\n\r\n--\r\r\n--a.");
  for (std::size_t first = 0; first <= body.size(); ++first) {
    for (std::size_t second = 0; first + second <= body.size(); ++second) {
      REQUIRE(told_in_pieces(body, {first, second}) == whole);
    }
  }
  CHECK(told_in_pieces(body, std::vector<std::size_t>(body.size(), 1)) == whole);
}

TEST_CASE("multipart: random bytes between boundaries come out as they went in") {
  std::mt19937 random(1);
  const std::string letters = "\r\n-b \"x";
  for (std::size_t i = 0; i < 2000 / wnpu::tests::kSampleShare; ++i) {
    std::string text;
    for (std::size_t n = random() % 40; n > 0; --n) text += letters[random() % letters.size()];
    const std::string body = part("name=a", text) + "--b--";
    const bool has_boundary = ("\r\n" + text).find("\r\n--b") != std::string::npos;
    const std::vector<std::size_t> cuts = {random() % 50, random() % 50, random() % 50};
    CAPTURE(body);
    CHECK(told_in_pieces(body, cuts) == parts_of(body));
    if (!has_boundary) CHECK(parts_of(body) == "[a|]" + text + ".");
  }
}
