// Protocol Buffers' wire format: what is written is read, and nothing else is.
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/onnx/wire.h"

using namespace wnpu::models;

namespace {

std::span<const std::byte> wire_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// All powers of two and their neighbours: each length that a varint may have.
std::vector<std::uint64_t> numbers() {
  std::vector<std::uint64_t> list{0};
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    list.insert(list.end(), {power - 1, power, power + 1});
  }
  return list;
}

}  // namespace

TEST_CASE("wire: numbers of every length, reals and bytes come back") {
  for (const std::uint64_t number : numbers()) {
    WireWriter inner;
    inner.number(3, number);
    WireWriter writer;
    writer.number(1, number);
    writer.real(200, 0.1F);
    writer.message(70000, inner);
    WireReader reader(wire_bytes(writer.text()), "path");
    const auto first = reader.next();
    const auto second = reader.next();
    const auto third = reader.next();
    REQUIRE((first && second && third));
    CHECK(first->number == 1);
    CHECK(first->value == number);
    CHECK(second->number == 200);
    float real = 0;
    std::memcpy(&real, &second->value, sizeof(real));
    CHECK(real == 0.1F);
    CHECK(third->number == 70000);
    CHECK(third->text() == inner.text());
    CHECK_FALSE(reader.next());
  }
}

TEST_CASE("wire: the bytes are those of the specification's examples") {
  WireWriter writer;
  writer.number(1, 150);
  writer.bytes(2, "testing");
  CHECK(writer.text() == "\x08\x96\x01\x12\x07testing");
}

TEST_CASE("wire: a length is that of what the caller writes behind it") {
  WireWriter whole;
  whole.bytes(9, std::string(300, 'x'));
  WireWriter start;
  start.length(9, 300);
  CHECK(start.text() + std::string(300, 'x') == whole.text());
}

TEST_CASE("wire: a message that is cut anywhere within a field is refused") {
  WireWriter writer;
  writer.bytes(2, std::string(200, 'x'));
  const std::string& whole = writer.text();
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    WireReader reader(wire_bytes(cut), "path");
    CHECK_THROWS_AS(reader.next(), ModelError);
  }
}

TEST_CASE("wire: groups, a field 0, and numbers of more than ten bytes are refused") {
  for (const std::string& bad :
       {std::string("\x0b"), std::string("\x0c"), std::string("\x00\x00", 2),
        "\x08" + std::string(10, '\xff') + "\x01"}) {
    WireReader reader(wire_bytes(bad), "path");
    CHECK_THROWS_AS(reader.next(), ModelError);
  }
}
