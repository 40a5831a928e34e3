// Repositories: SYSTRAN/faster-whisper, faster_whisper/utils.py (_MODELS), and there the files that
// are pulled (allow_patterns). Revisions, bytes and SHA-256: the hub's own figures of its large
// files, and those of the small ones, as public projects record them that pin the same revisions;
// tiny.en's also app/setup.sh, whose files they are. Those without a SHA-256 were found in none.
#include <algorithm>
#include <array>

#include "app/model_store/hub/catalogue_sources.h"

namespace wnpu::app {
namespace {

// English models, multilingual ones, those with Cantonese, and distil-whisper's English ones.
enum class Tokenizer { english, multilingual, cantonese, turbo, distilled, distilled_english };

struct Converted {
  std::string_view model;
  std::string_view repository;
  std::string_view revision;
  HubFile config;
  HubFile weights;
  Tokenizer tokenizer;
};

HubFile config(std::uint64_t bytes, std::string_view sha256 = "") {
  return {"config.json", bytes, sha256};
}
HubFile weights(std::uint64_t bytes, std::string_view sha256) {
  return {"model.bin", bytes, sha256};
}

constexpr std::string_view kTokenizerOfV3 =
    "6d8cbd7cd0d8d5815e478dac67b85a26bbe77c1f5e0c6d76d1ce2abc0e5f21ca";

const std::vector<Converted>& converted_models() {
  static const std::vector<Converted> kModels = {
      {"tiny.en", "Systran/faster-whisper-tiny.en", "0d3d19a32d3338f10357c0889762bd8d64bbdeba",
       config(2317, "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5"),
       weights(75537502, "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"),
       Tokenizer::english},
      {"tiny", "Systran/faster-whisper-tiny", "d90ca5fe260221311c53c58e660288d3deb8d356",
       config(2249, "a73a28cdfe1c43ccc7202fa333d1f89c202477271407ae9a7f19afa52039cac8"),
       weights(75538270, "dcb76c6586fc06cbdac6dd21f14cfd129cc4cdd9dce19bf4ffa62e59cbe6e6d1"),
       Tokenizer::multilingual},
      {"base.en", "Systran/faster-whisper-base.en", "3d3d5dee26484f91867d81cb899cfcf72b96be6c",
       config(2227),
       weights(145216508, "2a166925539a16005f14ff328359f9b9adb9dc4fb631bb3b227526862e93e2ef"),
       Tokenizer::english},
      {"base", "Systran/faster-whisper-base", "ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66",
       config(2309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
       weights(145217532, "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"),
       Tokenizer::multilingual},
      {"small.en", "Systran/faster-whisper-small.en", "d1d751a5f8271d482d14ca55d9e2deeebbae577f",
       config(2657, "666a9605530ac1f61fa8177f3702b4dacec9966749e42610839fcc32661d5fae"),
       weights(483545366, "62b2a45b05ee59acb4a5341b33ee35e041395d378d418a18acfe4c9e768ee37a"),
       Tokenizer::english},
      {"small", "Systran/faster-whisper-small", "536b0662742c02347bc0e980a01041f333bce120",
       config(2370, "b55496ac7940a7ae47d2c01eab40edfd8701feec1229d9cce3b40014383fb828"),
       weights(483546902, "3e305921506d8872816023e4c273e75d2419fb89b24da97b4fe7bce14170d671"),
       Tokenizer::multilingual},
      {"medium.en", "Systran/faster-whisper-medium.en", "a29b04bd15381511a9af671baec01072039215e3",
       config(2643, "4a1848ebabe7938d9797c15a2e8e4ce1d36e6fd4a43d096ae5955257c67c7962"),
       weights(1527904330, "11b220779aea4c6f3ce9d2549c8a95ea869ed84066864b999531ef53e594fe5b"),
       Tokenizer::english},
      {"medium", "Systran/faster-whisper-medium", "08e178d48790749d25932bbc082711ddcfdfbc4f",
       config(2257),
       weights(1527906378, "9b45e1009dcc4ab601eff815b61d80e60ce3fd8c74c1a14f4a282258286b51ae"),
       Tokenizer::multilingual},
      {"large-v1", "Systran/faster-whisper-large-v1", "b07c8d4be0be90092aa01a29c975077acb8d15c9",
       config(2352),
       weights(3086912962, "a3cce8081a5414206ab09a80aa410ebf9965feef52adafeead13f4a83398b1d1"),
       Tokenizer::multilingual},
      {"large-v2", "Systran/faster-whisper-large-v2", "f0fe81560cb8b68660e564f55dd99207059c092e",
       config(2796),
       weights(3086912962, "bf2a9746382e1aa7ffff6b3a0d137ed9edbd9670c3b87e5d35f5e85e70d0333a"),
       Tokenizer::multilingual},
      {"large-v3", "Systran/faster-whisper-large-v3", "edaa852ec7e145841d8ffdb056a99866b5f0a478",
       config(2394, "a9306624f5ec14270a014b647e5c316b6e03a662c369758d1b90697a7b0655b9"),
       weights(3087284237, "69f74147e3334731bc3a76048724833325d2ec74642fb52620eda87352e3d4f1"),
       Tokenizer::cantonese},
      {"large-v3-turbo", "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
       "0a363e9161cbc7ed1431c9597a8ceaf0c4f78fcf",
       config(2263, "b0253ea6c0d3bea6b1e19e91a02acfd3b53f4467362efcb5a3e6b16c9b3a9b7e"),
       weights(1617884929, "e76620f83d5f5b69efd3d87e3dc180c1bd21df9fbebacfd4335e5e1efcc018da"),
       Tokenizer::turbo},
      {"distil-small.en", "Systran/faster-distil-whisper-small.en",
       "ef77d90526ccd62cde3808ee70626a01e5cf83e4", config(2812),
       weights(332308257, "1187de3982cdcf962a2fb8f797e429fb4651b875b18fe9ce50b58b52fc9072b7"),
       Tokenizer::distilled_english},
      {"distil-medium.en", "Systran/faster-distil-whisper-medium.en",
       "80ddfce281f77766d8943d63109199fc8145dfa5", config(2574),
       weights(788826555, "d4cb75d823dcd2647191064da76f026774c06c036908f38456165368d0e2d66a"),
       Tokenizer::distilled_english},
      // Nobody was found who records its files' sizes.
      {"distil-large-v2", "Systran/faster-distil-whisper-large-v2",
       "fe9b404fc56de3f7c38606ef9ba6fd83526d05e4", config(0), weights(0, ""), Tokenizer::distilled},
      {"distil-large-v3", "Systran/faster-distil-whisper-large-v3",
       "c3058b475261292e64a0412df1d2681c06260fab",
       config(2690, "90c55f775cc4e0bb17293d0bf12f96557a486f20dea886fabd8e6075a3588b21"),
       weights(1512927867, "b79368e19b6623813609431a6e5ee309a71506701ebc49fd7820e692dec7c5f5"),
       Tokenizer::cantonese},
      {"distil-large-v3.5", "distil-whisper/distil-large-v3.5-ct2",
       "9793ccc07920e0f830e1dba0343efcdf0ef8c903", config(2690),
       weights(1512927867, "c58b88b8585ffcd2135fddaaf421ce72cb223b32edea70d156aed1dea319a119"),
       Tokenizer::distilled},
  };
  return kModels;
}

// Text files beside weights and config: preprocessor_config.json is not read here, but makes
// the folder one that faster-whisper takes as well.
std::vector<HubFile> text_files(const Converted& model) {
  const HubFile of_v3{"vocabulary.json", 1068114,
                      "c69260f2ab26d659b7c398f9a2b2b48ed0df16c3b47d7326782fd9cba71690c1"};
  const HubFile preprocessor{"preprocessor_config.json", 340,
                             "7ccc62c6f2765af1f3b46c00c9b5894426835a05021c8b9c01eecb6dfb542711"};
  switch (model.tokenizer) {
    case Tokenizer::english:
      return {{"tokenizer.json", 2128466,
               "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df"},
              {"vocabulary.txt", 422309,
               "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf"}};
    case Tokenizer::multilingual:
      return {{"tokenizer.json", 2203239,
               "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"},
              {"vocabulary.txt", 459861,
               "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"}};
    case Tokenizer::cantonese:
      return {{"tokenizer.json", 2480617, kTokenizerOfV3}, of_v3, preprocessor};
    case Tokenizer::turbo:
      return {{"tokenizer.json", 2710337,
               "297b13372ac43916285644fb9687add3cc62ee2a1adb60da3dc25cc94c1871fd"},
              of_v3,
              preprocessor};
    case Tokenizer::distilled_english:
      return {{"tokenizer.json", model.model == "distil-small.en" ? 2405466U : 2405678U, ""},
              {"vocabulary.json", 825480, ""},
              {"preprocessor_config.json", 339, ""}};
    case Tokenizer::distilled:
      break;
  }
  if (model.model == "distil-large-v3.5") {
    return {{"tokenizer.json", 2480645, ""},
            {"vocabulary.json", 1068114, ""},
            {"preprocessor_config.json", 340, ""}};
  }
  return {{"tokenizer.json"}, {"vocabulary.json"}, {"preprocessor_config.json"}};
}

}  // namespace

std::optional<HubSource> ctranslate2_source(std::string_view model) {
  const auto found = std::ranges::find(converted_models(), model, &Converted::model);
  if (found == converted_models().end()) return std::nullopt;
  HubSource source{"ctranslate2",   kHubHost, found->repository,
                   found->revision, kMit,     {found->config}};
  for (const HubFile& file : text_files(*found)) source.files.push_back(file);
  source.files.push_back(found->weights);  // last: what is small shows first whether all is well
  return source;
}

}  // namespace wnpu::app
