// safetensors, ggml and openai's own checkpoints. Repositories and files: those names at the hub
// (openai/whisper-*, distil-whisper/*); ggml-org/whisper.cpp, models/download-ggml-model.sh;
// openai/whisper, whisper/__init__.py (_MODELS), whose URLs have the SHA-256 in them. Bytes and
// SHA-256 of the hub's files: its own figures of its large files, as public projects record them
// that pin the same revisions.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/model_store/hub/catalogue_sources.h"

namespace wnpu::app {
namespace {

struct Published {
  std::string_view model;
  std::string_view repository;
  std::string_view revision;
  std::string_view licence;
  std::string_view weights;  // their file there
  std::uint64_t bytes;
  std::string_view sha256;
};

constexpr std::string_view kApache = "Apache-2.0";
constexpr std::string_view kUnknown = "unknown";
constexpr std::string_view kSafetensorsFile = "model.safetensors";

constexpr std::array kSafetensorsModels = {
    Published{"tiny.en", "openai/whisper-tiny.en", "87c7102498dcde7456f24cfd30239ca606ed9063",
              kApache, kSafetensorsFile, 151060136,
              "db59695928ded6043adaef491a53ef4e12da9611184d77c53baa691a60b958ad"},
    Published{"tiny", "openai/whisper-tiny", "169d4a4341b33bc18d8881c4b69c2e104e1cc0af", kApache,
              kSafetensorsFile, 151061672,
              "7ebd0e69e78190ffe1438491fa05cc1f5c1aa3a4c4db3bc1723adbb551ea2395"},
    Published{"base.en", "openai/whisper-base.en", "911407f4214e0e1d82085af863093ec0b66f9cd6",
              kApache, kSafetensorsFile, 290401888,
              "d4dd5542fd6a1d35639e21384238f3bfe6c557c849d392b5905d33ee29e71db5"},
    Published{"base", "openai/whisper-base", "e37978b90ca9030d5170a5c07aadb050351a65bb", kApache,
              kSafetensorsFile, 290403936,
              "07cadb9f25677c8d50df603e66a98fbd842cce45047139baeb16e6219a1e807b"},
    Published{"small.en", "openai/whisper-small.en", "e8727524f962ee844a7319d92be39ac1bd25655a",
              kApache, kSafetensorsFile, 966992008,
              "6014ac49b506df900f66f4aca6b0801eed7245594ace97bcaf73e0ae5b863066"},
    Published{"small", "openai/whisper-small", "973afd24965f72e36ca33b3055d56a652f456b4d", kApache,
              kSafetensorsFile, 966995080,
              "1d7734884874f1a1513ed9aa760a4f8e97aaa02fd6d93a3a85d27b2ae9ca596b"},
    Published{"medium.en", "openai/whisper-medium.en", "2e98eb6279edf5095af0c8dedb36bdec0acd172b",
              kApache, kSafetensorsFile, 3055540208,
              "8f731340f569588236c21f794c33e83b7cc5a297511d2bdc30117ea969004311"},
    Published{"medium", "openai/whisper-medium", "abdf7c39ab9d0397620ccaea8974cc764cd0953e",
              kApache, kSafetensorsFile, 3055544304,
              "62f73550fa6db24b0c6f6c5962bd0dae80fa644e93cde9cd9c3792971b47fd28"},
    Published{"large-v1", "openai/whisper-large", "4ef9b41f0d4fe232daafdb5f76bb1dd8b23e01d7",
              kApache, kSafetensorsFile, 6173370152,
              "27d753181b54178da228555dbc57fe639f6624ca470d83d35e500b22df0ab7e6"},
    Published{"large-v2", "openai/whisper-large-v2", "ae4642769ce2ad8fc292556ccea8e901f1530655",
              kApache, kSafetensorsFile, 6173370152,
              "57a1ba2a82c093cabff2541409ae778c97145378b9ddfa722763cb1cb8f9020b"},
    Published{"large-v3", "openai/whisper-large-v3", "06f233fe06e710322aca913c1bc4249a0d71fce1",
              kApache, kSafetensorsFile, 3087130976,
              "a8e94b85976e5864ba3e9525c7e6c83b2a1eca42d4b797a0c7c24d778e40fd95"},
    Published{"large-v3-turbo", "openai/whisper-large-v3-turbo",
              "41f01f3fe87f28c78e2fbf8b568835947dd65ed9", kUnknown, kSafetensorsFile, 1617824864,
              "542566a422ae4f3fd23f1ba11add198fca01bbf82e66e6a2857b3f608b1eb9d1"},
    Published{"distil-small.en", "distil-whisper/distil-small.en", "main", kMit, kSafetensorsFile,
              0, ""},
    Published{"distil-medium.en", "distil-whisper/distil-medium.en", "main", kMit, kSafetensorsFile,
              0, ""},
    Published{"distil-large-v2", "distil-whisper/distil-large-v2", "main", kMit, kSafetensorsFile,
              0, ""},
    Published{"distil-large-v3", "distil-whisper/distil-large-v3", "main", kMit, kSafetensorsFile,
              0, ""},
    Published{"distil-large-v3.5", "distil-whisper/distil-large-v3.5", "main", kMit,
              kSafetensorsFile, 0, ""},
};

constexpr std::string_view kWhisperCpp = "ggerganov/whisper.cpp";
constexpr std::string_view kWhisperCppRevision = "5359861c739e955e79d9a303bcbc70fb988958b1";

constexpr std::array kGgmlModels = {
    Published{"tiny.en", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-tiny.en.bin", 77704715,
              "921e4cf8686fdd993dcd081a5da5b6c365bfde1162e72b08d75ac75289920b1f"},
    Published{"tiny", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-tiny.bin", 77691713,
              "be07e048e1e599ad46341c8d2a135645097a538221678b7acdd1b1919c6e1b21"},
    Published{"base.en", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-base.en.bin", 147964211,
              "a03779c86df3323075f5e796cb2ce5029f00ec8869eee3fdfb897afe36c6d002"},
    Published{"base", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-base.bin", 147951465,
              "60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe"},
    Published{"small.en", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-small.en.bin", 487614201,
              "c6138d6d58ecc8322097e0f987c32f1be8bb0a18532a3f88f734d1bbf9c41e5d"},
    Published{"small", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-small.bin", 487601967,
              "1be3a9b2063867b937e64e2ec7483364a79917e157fa98c5d94b5c1fffea987b"},
    Published{"medium.en", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-medium.en.bin", 1533774781,
              "cc37e93478338ec7700281a7ac30a10128929eb8f427dda2e865faa8f6da4356"},
    Published{"medium", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-medium.bin", 1533763059,
              "6c14d5adee5f86394037b4e4e8b59f1673b6cee10e3cf0b11bbdbee79c156208"},
    Published{"large-v1", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-large-v1.bin", 3094623691,
              "7d99f41a10525d0206bddadd86760181fa920438b6b33237e3118ff6c83bb53d"},
    Published{"large-v2", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-large-v2.bin", 3094623691,
              "9a423fe4d40c82774b6af34115b8b935f34152246eb19e80e376071d3f999487"},
    Published{"large-v3", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-large-v3.bin", 3095033483,
              "64d182b440b98d5203c4f9bd541544d84c605196c4f7b845dfa11fb23594d1e2"},
    Published{"large-v3-turbo", kWhisperCpp, kWhisperCppRevision, kMit, "ggml-large-v3-turbo.bin",
              1624555275, "1fc70f774d38eb169993ac391eea357ef47c88757ef72ee5943879b7e8e2bc69"},
    Published{"distil-small.en", "distil-whisper/distil-small.en",
              "9e4a67ca4569c30be43a3fe7fba1621e504f0093", kMit, "ggml-distil-small.en.bin",
              336191657, "7691eb11167ab7aaf6b3e05d8266f2fd9ad89c550e433f86ac266ebdee6c970a"},
    Published{"distil-medium.en", "distil-whisper/distil-medium.en",
              "6e61418885eaf4d5cc9f64e508e80ac5b4c052b7", kMit, "ggml-medium-32-2.en.bin",
              794018180, "ad53ccb618188b210550e98cc32bf5a13188d86635e395bb11115ed275d6e7aa"},
    Published{"distil-large-v2", "distil-whisper/distil-large-v2",
              "97d2c8f9cae1b0f6c8fc2e173495ee4cedc05843", kMit, "ggml-large-32-2.en.bin",
              1519111363, "2ed2bbe6c4138b3757f292b0622981bdb3d02bcac57f77095670dac85fab3cd6"},
    Published{"distil-large-v3", "distil-whisper/distil-large-v3-ggml",
              "0d78dd96ed9fc152325f63b53788fec3b43de031", kMit, "ggml-distil-large-v3.bin",
              1519521155, "2883a11b90fb10ed592d826edeaee7d2929bf1ab985109fe9e1e7b4d2b69a298"},
    Published{"distil-large-v3.5", "distil-whisper/distil-large-v3.5-ggml",
              "960ecb5c2ecfba3ebb9ebe485c1032ec266cf436", kMit, "ggml-model.bin", 1519521155,
              "ec2498919b498c5f6b00041adb45650124b3cd9f26f545fffa8f5d11c28dcf26"},
};

constexpr std::string_view kOpenaiHost = "https://openaipublic.azureedge.net";

struct Checkpoint {
  std::string_view model;
  std::string_view sha256;
};

constexpr std::array kCheckpoints = {
    Checkpoint{"tiny.en", "d3dd57d32accea0b295c96e26691aa14d8822fac7d9d27d5dc00b4ca2826dd03"},
    Checkpoint{"tiny", "65147644a518d12f04e32d6f3b26facc3f8dd46e5390956a9424a650c0ce22b9"},
    Checkpoint{"base.en", "25a8566e1d0c1e2231d1c762132cd20e0f96a85d16145c3a00adf5d1ac670ead"},
    Checkpoint{"base", "ed3a0b6b1c0edf879ad9b11b1af5a0e6ab5db9205f891f668f8b0e6c6326e34e"},
    Checkpoint{"small.en", "f953ad0fd29cacd07d5a9eda5624af0f6bcf2258be67c92b79389873d91e0872"},
    Checkpoint{"small", "9ecf779972d90ba49c06d968637d720dd632c55bbf19d441fb42bf17a411e794"},
    Checkpoint{"medium.en", "d7440d1dc186f76616474e0ff0b3b6b879abc9d1a4926b7adfa41db2d497ab4f"},
    Checkpoint{"medium", "345ae4da62f9b3d59415adc60127b97c714f32e89e936602e85993674d08dcb1"},
    Checkpoint{"large-v1", "e4b87e7e0bf463eb8e6956e646f1e277e901512310def2c24bf0e11bd3c28e9a"},
    Checkpoint{"large-v2", "81f7c96c852ee8fc832187b0132e569d6c3065a3252ed18e56effd0b6a73e524"},
    Checkpoint{"large-v3", "e5b1a55b89c1367dacf97e3e19bfd829a01529dbfdeefa8caeb59b3f1b81dadb"},
    Checkpoint{"large-v3-turbo",
               "aff26ae408abcba5fbf8813c21e62b0941638c5f6eebfb145be0c9839262a19a"},
};

const Published* find_in(std::span<const Published> models, std::string_view model) {
  const auto found = std::ranges::find(models, model, &Published::model);
  return found == models.end() ? nullptr : &*found;
}

// Text that lives as long as the program, for the paths that are put together here.
std::string_view kept(std::string text) {
  static std::vector<std::unique_ptr<const std::string>> texts;
  return *texts.emplace_back(std::make_unique<const std::string>(std::move(text)));
}

// openai's multilingual repositories before large-v3 share a tokenizer.
HubFile tokenizer_of(const Published& source) {
  constexpr std::array<std::string_view, 3> kRecorded = {"tiny", "base", "small"};
  HubFile file{"tokenizer.json"};
  if (std::ranges::find(kRecorded, source.model) != kRecorded.end()) {
    file.bytes = 2480466;
    file.sha256 = "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566";
  } else if (source.model == "large-v3-turbo") {
    file.bytes = 2710337;
    file.sha256 = "297b13372ac43916285644fb9687add3cc62ee2a1adb60da3dc25cc94c1871fd";
  }
  return file;
}

// A checkpoint has none: that of openai's repository of the same model.
HubFile tokenizer_beside(std::string_view model) {
  const Published& source = *find_in(kSafetensorsModels, model);
  HubFile file = tokenizer_of(source);
  file.at = kept(HubSource{"", "", source.repository, source.revision, "", {}}.path_of(file));
  file.host = kHubHost;
  return file;
}

}  // namespace

std::optional<HubSource> safetensors_source(std::string_view model) {
  const Published* const found = find_in(kSafetensorsModels, model);
  if (found == nullptr) return std::nullopt;
  return HubSource{"safetensors",
                   kHubHost,
                   found->repository,
                   found->revision,
                   found->licence,
                   {{"config.json"},
                    {"generation_config.json"},
                    tokenizer_of(*found),
                    {found->weights, found->bytes, found->sha256}}};
}

std::optional<HubSource> ggml_source(std::string_view model) {
  const Published* const found = find_in(kGgmlModels, model);
  if (found == nullptr) return std::nullopt;
  HubSource source{"ggml", kHubHost, found->repository, found->revision, found->licence, {}};
  HubFile file{"ggml-model.bin", found->bytes, found->sha256};
  file.at = kept(source.path_of({found->weights}));
  source.files.push_back(file);
  return source;
}

std::optional<HubSource> pytorch_source(std::string_view model) {
  const auto found = std::ranges::find(kCheckpoints, model, &Checkpoint::model);
  if (found == kCheckpoints.end()) return std::nullopt;
  std::string at = "main/whisper/models/";
  at.append(found->sha256).append("/").append(found->model).append(".pt");
  return HubSource{"pytorch",
                   kOpenaiHost,
                   "openai/whisper",
                   "main",
                   kMit,
                   {tokenizer_beside(model), {"model.pt", 0, found->sha256, kept(std::move(at))}}};
}

}  // namespace wnpu::app
