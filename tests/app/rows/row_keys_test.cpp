#include "app/jobs/manifest/row_keys.h"

#include <doctest/doctest.h>

using namespace wnpu::app;

TEST_CASE("row keys: ids are told apart as JSON, rows without one by their lines") {
  RowKeys keys;
  CHECK(keys.key_of("\"1\"", 1) == keys.key_of("\"1\"", 2));
  CHECK(keys.key_of("\"1\"", 1) != keys.key_of("1", 1));
  CHECK(keys.key_of("null", 1) != keys.key_of("null", 2));
  CHECK(keys.key_of("null", 1) != keys.key_of("\"null\"", 1));
}

TEST_CASE("row keys: a set finds what is in it, and what is there twice") {
  RowKeys keys;
  RowKeySet set;
  for (std::size_t i = 0; i < 1000; ++i) set.add(keys.key_of(std::to_string(i), i), i);
  CHECK_FALSE(set.sort());
  for (std::size_t i = 0; i < 2000; ++i) {
    CHECK(set.contains(keys.key_of(std::to_string(i), 0)) == (i < 1000));
  }
  set.add(keys.key_of("500", 0), 1001);
  CHECK(set.sort() == std::pair<std::size_t, std::size_t>{500, 1001});
}
