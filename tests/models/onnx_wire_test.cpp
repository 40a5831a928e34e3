// Protocol Buffers' wire format, as it is written.
#include <string>

#include <doctest/doctest.h>

#include "models/onnx/wire.h"

using namespace wnpu::models;

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
