#include "app/batch/sha256.h"

#include <array>
#include <fstream>
#include <memory>
#include <new>
#include <openssl/evp.h>
#include <vector>

#include "app/engine/model_path.h"

namespace wnpu::app {

std::string sha256_of_file(const std::filesystem::path& path,
                           const std::function<bool()>& should_stop) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
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
  if (model_.empty()) model_ = sha256_of_file(weights_file(transcript.model.path), should_stop);
  transcript.model.sha256 = model_;
}

}  // namespace wnpu::app
