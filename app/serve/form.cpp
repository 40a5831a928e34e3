#include "app/serve/form.h"

#include "app/serve/http/api_error.h"
#include "models/base/utf8.h"

namespace wnpu::serve {

void Form::begin_part(const PartHead& head) {
  is_in_file_ = head.name == "file";
  if (!is_in_file_) {
    n_bytes_ += head.name.size();
    fields_.push_back({head.name, ""});
    return;
  }
  if (file_) throw ApiError(400, "file: expected one, found two", "file");
  file_ = std::make_shared<SpoolFile>(room_);
}

void Form::take_part(std::string_view bytes) {
  if (is_in_file_) return file_->add(bytes);
  Field& field = fields_.back();
  n_bytes_ += bytes.size();
  if (field.value.size() + bytes.size() > kMostField || n_bytes_ > kMostFields) {
    throw ApiError(413,
                   field.name + ": expected at most " + std::to_string(kMostField) +
                       " bytes in a field and " + std::to_string(kMostFields) +
                       " in all, found more",
                   field.name, "field_too_large");
  }
  field.value += bytes;
}

void Form::end_part() {
  if (!is_in_file_) fields_.back().value = models::repair_utf8(fields_.back().value);
}

}  // namespace wnpu::serve
