// Codes, names and aliases as in openai/whisper tokenizer.py LANGUAGES and TO_LANGUAGE_CODE; the
// order is that of the language tokens.
#include <algorithm>
#include <array>
#include <cctype>

#include "models/text/vocabulary.h"

namespace wnpu::models {
namespace {

constexpr std::array<Language, 100> kLanguages = {{
    {"en", "english"},        {"zh", "chinese"},     {"de", "german"},        {"es", "spanish"},
    {"ru", "russian"},        {"ko", "korean"},      {"fr", "french"},        {"ja", "japanese"},
    {"pt", "portuguese"},     {"tr", "turkish"},     {"pl", "polish"},        {"ca", "catalan"},
    {"nl", "dutch"},          {"ar", "arabic"},      {"sv", "swedish"},       {"it", "italian"},
    {"id", "indonesian"},     {"hi", "hindi"},       {"fi", "finnish"},       {"vi", "vietnamese"},
    {"he", "hebrew"},         {"uk", "ukrainian"},   {"el", "greek"},         {"ms", "malay"},
    {"cs", "czech"},          {"ro", "romanian"},    {"da", "danish"},        {"hu", "hungarian"},
    {"ta", "tamil"},          {"no", "norwegian"},   {"th", "thai"},          {"ur", "urdu"},
    {"hr", "croatian"},       {"bg", "bulgarian"},   {"lt", "lithuanian"},    {"la", "latin"},
    {"mi", "maori"},          {"ml", "malayalam"},   {"cy", "welsh"},         {"sk", "slovak"},
    {"te", "telugu"},         {"fa", "persian"},     {"lv", "latvian"},       {"bn", "bengali"},
    {"sr", "serbian"},        {"az", "azerbaijani"}, {"sl", "slovenian"},     {"kn", "kannada"},
    {"et", "estonian"},       {"mk", "macedonian"},  {"br", "breton"},        {"eu", "basque"},
    {"is", "icelandic"},      {"hy", "armenian"},    {"ne", "nepali"},        {"mn", "mongolian"},
    {"bs", "bosnian"},        {"kk", "kazakh"},      {"sq", "albanian"},      {"sw", "swahili"},
    {"gl", "galician"},       {"mr", "marathi"},     {"pa", "punjabi"},       {"si", "sinhala"},
    {"km", "khmer"},          {"sn", "shona"},       {"yo", "yoruba"},        {"so", "somali"},
    {"af", "afrikaans"},      {"oc", "occitan"},     {"ka", "georgian"},      {"be", "belarusian"},
    {"tg", "tajik"},          {"sd", "sindhi"},      {"gu", "gujarati"},      {"am", "amharic"},
    {"yi", "yiddish"},        {"lo", "lao"},         {"uz", "uzbek"},         {"fo", "faroese"},
    {"ht", "haitian creole"}, {"ps", "pashto"},      {"tk", "turkmen"},       {"nn", "nynorsk"},
    {"mt", "maltese"},        {"sa", "sanskrit"},    {"lb", "luxembourgish"}, {"my", "myanmar"},
    {"bo", "tibetan"},        {"tl", "tagalog"},     {"mg", "malagasy"},      {"as", "assamese"},
    {"tt", "tatar"},          {"haw", "hawaiian"},   {"ln", "lingala"},       {"ha", "hausa"},
    {"ba", "bashkir"},        {"jw", "javanese"},    {"su", "sundanese"},     {"yue", "cantonese"},
}};

// Other names of a language: {code, alias}.
constexpr std::array<Language, 12> kAliases = {{
    {"my", "burmese"},
    {"ca", "valencian"},
    {"nl", "flemish"},
    {"ht", "haitian"},
    {"lb", "letzeburgesch"},
    {"ps", "pushto"},
    {"pa", "panjabi"},
    {"ro", "moldavian"},
    {"ro", "moldovan"},
    {"si", "sinhalese"},
    {"es", "castilian"},
    {"zh", "mandarin"},
}};

// Other codes of a language, as tags of BCP 47 and older ones have them: {Whisper's code, code}.
constexpr std::array<Language, 10> kOtherCodes = {{
    {"he", "iw"},
    {"id", "in"},
    {"yi", "ji"},
    {"jw", "jv"},
    {"ja", "jp"},
    {"no", "nb"},
    {"zh", "cmn"},
    {"zh", "cn"},
    {"tl", "fil"},
    {"ro", "mo"},
}};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::span<const Language> all_languages() { return kLanguages; }

std::optional<std::string_view> find_language(std::string_view text) {
  const std::string wanted = lower_case(text);
  const auto is_wanted = [&wanted](const Language& language) {
    return language.code == wanted || language.name == wanted;
  };
  const auto language = std::ranges::find_if(kLanguages, is_wanted);
  if (language != kLanguages.end()) return language->code;
  const auto alias = std::ranges::find(kAliases, wanted, &Language::name);
  if (alias != kAliases.end()) return alias->code;
  const auto code = std::ranges::find(kOtherCodes, wanted, &Language::name);
  if (code != kOtherCodes.end()) return code->code;
  // Script, region and variant of a tag say nothing that Whisper tells apart.
  const std::size_t subtag = wanted.find_first_of("-_");
  constexpr std::size_t kLongestPrimary = 3;
  if (subtag < 2 || subtag > kLongestPrimary) return std::nullopt;
  return find_language(wanted.substr(0, subtag));
}

bool is_other_code(std::string_view text) {
  const std::string wanted = lower_case(text);
  const auto is_name = [&wanted](const Language& language) { return language.name == wanted; };
  const bool is_own = std::ranges::find(kLanguages, wanted, &Language::code) != kLanguages.end() ||
                      std::ranges::any_of(kLanguages, is_name) ||
                      std::ranges::any_of(kAliases, is_name);
  return !is_own && find_language(text);
}

bool is_unspaced(std::string_view language_code) {
  constexpr std::array<std::string_view, 6> kUnspaced = {"zh", "ja", "th", "lo", "my", "yue"};
  return std::ranges::find(kUnspaced, language_code) != kUnspaced.end();
}

}  // namespace wnpu::models
