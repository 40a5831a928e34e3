// The index of a packed model file, in a file whose checksum of it is right: what is read of a file
// that somebody made on purpose. Behind it, as the next file, is what its sections hold. Bytes that
// are no packed file at all are the other targets'.
#include <cstring>
#include <string>

#include "models/files/packed_format.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/read_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu;
  static const fuzz::InputFolder folder(fuzz::kModelBytes);
  constexpr std::size_t kSections = 4096;
  std::string file(models::kPackedMagic);
  file.resize(kSections);
  std::memcpy(file.data() + models::kPackedMagic.size(), &models::kPackedVersion,
              sizeof models::kPackedVersion);
  const std::string_view input = fuzz::as_text(data, size);
  const std::string_view index = input.substr(0, input.find(fuzz::kNextFile));
  if (index.size() < input.size()) {
    const auto bytes = input.substr(index.size() + fuzz::kNextFile.size());
    const std::string sections = fuzz::written_out(bytes, kSections - models::kPackedHead);
    file.replace(models::kPackedHead, std::min(sections.size(), kSections - models::kPackedHead),
                 sections, 0, kSections - models::kPackedHead);
  }
  file += index;
  std::string tail(models::kPackedTail - models::kPackedMagic.size(), '\0');
  const std::uint64_t place[] = {kSections, index.size()};
  const std::uint32_t sum = models::checksum(std::as_bytes(std::span(index)));
  std::memcpy(tail.data(), place, sizeof place);
  std::memcpy(tail.data() + sizeof place, &sum, sizeof sum);
  file.append(tail).append(models::kPackedMagic);
  folder.write(file, {"model.wnpu"});
  fuzz::read_model(folder.path() / "model.wnpu");
  return 0;
}
