#include "app/system/sha256.h"

#include <array>
#include <fstream>
#include <memory>
#include <new>
#include <openssl/evp.h>
#include <vector>

namespace wnpu::app {
// A library context of its own: where memory lacked for OpenSSL's common one, its functions use
// what is not there.
struct Sha256::State {
  template <auto kFree>
  struct Free {
    template <typename T>
    void operator()(T* object) const {
      kFree(object);
    }
  };
  template <typename T, auto kFree>
  using Held = std::unique_ptr<T, Free<kFree>>;

  Held<OSSL_LIB_CTX, OSSL_LIB_CTX_free> library{OSSL_LIB_CTX_new()};
  Held<EVP_MD, EVP_MD_free> sha256{library ? EVP_MD_fetch(library.get(), "SHA256", nullptr)
                                           : nullptr};
  Held<EVP_MD_CTX, EVP_MD_CTX_free> context{EVP_MD_CTX_new()};

  void begin() {
    const bool has_all = sha256 && context;
    if (!has_all || EVP_DigestInit_ex2(context.get(), sha256.get(), nullptr) != 1) {
      throw std::bad_alloc();  // the only way in which they can fail
    }
  }
};

Sha256::Sha256() : state_(std::make_unique<State>()) { state_->begin(); }

Sha256::~Sha256() = default;

std::string Sha256::operator()(std::string_view text) {
  add(text);
  return hex();
}

void Sha256::add(std::string_view bytes) {
  EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size) != 1) throw std::bad_alloc();
  state_->begin();
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += kHex[digest[i] >> 4U];
    text += kHex[digest[i] & 15U];
  }
  return text;
}

std::string sha256_of_file(const std::filesystem::path& path,
                           const std::function<bool()>& should_stop) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  Sha256 sha256;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1U << 20U);
  while (file) {
    if (should_stop && should_stop()) return "";
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    sha256.add({block.data(), static_cast<std::size_t>(file.gcount())});
  }
  return file.eof() ? sha256.hex() : "";
}

}  // namespace wnpu::app
