#include "models/files/vocabulary_json.h"

#include <array>

#include "models/base/error.h"
#include "models/base/json_file.h"

namespace wnpu::models {
namespace {

using nlohmann::json;

// In tokenizer.json the map of tokens is the value of the last, in the value of the first.
constexpr std::array<const char*, 2> kMapKeys{"model", "vocab"};

// Handler of nlohmann/json's parser events, which takes the tokens as they come.
class VocabularyEvents {
 public:
  VocabularyEvents(const std::string& path, VocabularyForm form,
                   const std::function<void(std::size_t, const std::string&)>& take)
      : nesting_(path), form_(form), take_(take) {}

  bool null() { return value(nullptr); }
  bool boolean(bool found) { return value(found); }
  bool number_integer(json::number_integer_t found) { return value(found); }
  bool number_float(json::number_float_t found, const std::string& /*text*/) {
    return value(found);
  }
  bool binary(json::binary_t& /*found*/) { return value(nullptr); }

  bool number_unsigned(json::number_unsigned_t found) {
    if (form_ == VocabularyForm::list || !is_among_tokens()) return value(found);
    take_(found, key_);
    return true;
  }
  bool string(std::string& found) {
    if (form_ != VocabularyForm::list || !is_among_tokens()) return value(found);
    take_(n_listed_++, found);
    return true;
  }

  bool start_object(std::size_t /*size*/) { return open(/*is_object=*/true); }
  bool start_array(std::size_t /*size*/) { return open(/*is_object=*/false); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& found) {
    nesting_.key(found);
    key_ = found;
    return true;
  }

  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const json::exception& /*error*/) {
    throw ModelError(nesting_.path() + ": expected JSON, found what is none");
  }

  void finish() const {
    if (!has_tokens_) fail("a model.vocab", "none");
  }

 private:
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw ModelError(nesting_.path() + ": expected " + expected + ", found " + found.substr(0, 60));
  }

  // How many objects and arrays are around each token.
  std::size_t token_depth() const {
    return form_ == VocabularyForm::tokenizer ? kMapKeys.size() + 1 : 1;
  }
  bool is_among_tokens() const {
    return nesting_.depth() == token_depth() && n_on_way_ == token_depth();
  }
  // Whether what begins now is the list or map of tokens, or is around it.
  bool is_on_way() const {
    const std::size_t depth = nesting_.depth();
    if (depth != n_on_way_ || depth >= token_depth()) return false;
    return depth == 0 || key_ == kMapKeys[depth - 1];
  }

  bool open(bool is_object) {
    const char* name = is_object ? "object" : "array";
    if (is_among_tokens()) refuse_token(name);
    if (is_on_way()) {
      if (is_object == (form_ == VocabularyForm::list)) refuse_around(name);
      ++n_on_way_;
      has_tokens_ = has_tokens_ || n_on_way_ == token_depth();
    }
    nesting_.open();
    return true;
  }
  bool close() {
    if (n_on_way_ == nesting_.depth()) --n_on_way_;
    nesting_.close();
    return true;
  }
  // A value that is no token's.
  bool value(const json& found) {
    if (is_among_tokens()) {
      refuse_token(found.dump(-1, ' ', false, json::error_handler_t::replace));
    }
    if (is_on_way()) refuse_around(found.type_name());
    return true;
  }

  [[noreturn]] void refuse_token(const std::string& found) const {
    fail(form_ == VocabularyForm::list ? "tokens as strings" : "ids as numbers", found);
  }
  [[noreturn]] void refuse_around(const std::string& found) const {
    if (form_ == VocabularyForm::list) fail("a list of tokens", found);
    if (nesting_.depth() + 1 == token_depth()) fail("a map of tokens to ids", found);
    fail("a model.vocab", "none");
  }

  JsonNesting nesting_;
  VocabularyForm form_;
  const std::function<void(std::size_t, const std::string&)>& take_;
  std::string key_;           // the last that was read
  std::size_t n_on_way_ = 0;  // of the objects around, those that are around the tokens
  std::size_t n_listed_ = 0;  // tokens of a list
  bool has_tokens_ = false;   // the list or map began
};

}  // namespace

void read_vocabulary_json(
    std::string_view text, const std::string& path, VocabularyForm form,
    const std::function<void(std::size_t id, const std::string& spelled)>& take) {
  VocabularyEvents events(path, form, take);
  json::sax_parse(text, &events);
  events.finish();
}

}  // namespace wnpu::models
