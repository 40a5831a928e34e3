#include "app/batch/sha256.h"

#include <array>
#include <fstream>
#include <memory>
#include <new>
#include <openssl/evp.h>
#include <vector>

#include "app/engine/model_path.h"

namespace wnpu::app {
namespace {

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
template <typename T, auto kFree>
using Held = std::unique_ptr<T, Free<kFree>>;

}  // namespace

std::string sha256_of_file(const std::filesystem::path& path,
                           const std::function<bool()>& should_stop) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  // A library context of its own: where memory lacked for OpenSSL's common one, its functions use
  // what is not there.
  const Held<OSSL_LIB_CTX, OSSL_LIB_CTX_free> library(OSSL_LIB_CTX_new());
  const Held<EVP_MD, EVP_MD_free> sha256(library ? EVP_MD_fetch(library.get(), "SHA256", nullptr)
                                                 : nullptr);
  const Held<EVP_MD_CTX, EVP_MD_CTX_free> context(EVP_MD_CTX_new());
  if (!sha256 || !context || EVP_DigestInit_ex2(context.get(), sha256.get(), nullptr) != 1) {
    throw std::bad_alloc();  // the only way in which they can fail
  }
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1U << 20U);
  while (file) {
    if (should_stop && should_stop()) return "";
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof()) return "";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1) return "";
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += kHex[digest[i] >> 4U];
    text += kHex[digest[i] & 15U];
  }
  return text;
}

void Checksums::add(Transcript& transcript, const std::function<bool()>& should_stop) {
  if (transcript.truncated) return;
  transcript.input.sha256 = sha256_of_file(transcript.input.path, should_stop);
  if (!transcript.model.sha256.empty()) return;  // a packed file says its source's
  if (model_.empty()) model_ = sha256_of_file(weights_file(transcript.model.path), should_stop);
  transcript.model.sha256 = model_;
}

}  // namespace wnpu::app
