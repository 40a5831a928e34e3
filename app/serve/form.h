// The form of a transcription request: its file in the spool, its other fields in memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/serve/http/multipart.h"
#include "app/serve/spool.h"

namespace wnpu::serve {

// Bytes of one field that is no file, and of all.
inline constexpr std::size_t kMostField = std::size_t{64} << 10U;
inline constexpr std::size_t kMostFields = std::size_t{256} << 10U;

struct Field {
  std::string name;
  std::string value;  // UTF-8
};

class Form final : public PartTaker {
 public:
  explicit Form(std::shared_ptr<SpoolRoom> room) : room_(std::move(room)) {}

  // These throw ApiError.
  void begin_part(const PartHead& head) override;
  void take_part(std::string_view bytes) override;
  void end_part() override;

  const std::vector<Field>& fields() const { return fields_; }
  // The part named "file"; null: none came.
  const std::shared_ptr<SpoolFile>& file() const { return file_; }

 private:
  std::shared_ptr<SpoolRoom> room_;
  std::shared_ptr<SpoolFile> file_;
  std::vector<Field> fields_;
  std::size_t n_bytes_ = 0;  // of the fields
  bool is_in_file_ = false;
};

}  // namespace wnpu::serve
