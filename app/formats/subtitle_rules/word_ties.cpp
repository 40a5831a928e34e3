#include "app/formats/subtitle_rules/word_ties.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "models/base/utf8.h"
#include "models/text/pattern.h"

namespace wnpu::app {
namespace {

struct WordList {
  std::string_view language;
  // Words that hold to the next one: articles, prepositions, possessives, titles, pronouns in front
  // of their verb, auxiliaries, negations. Alternatives of a pattern.
  std::string_view tied;
  // Words that a line begins well with: conjunctions and prepositions.
  std::string_view opening;
};

constexpr std::array kWordLists{
    WordList{"en",
             "a|an|the|my|your|his|her|its|our|their|this|that|these|those|of|to|in|on|at|by|for|"
             "from|with|into|no|not|very|i|you|he|she|it|we|they|am|is|are|was|were|be|been|have|"
             "has|had|do|does|did|will|would|can|could|shall|should|may|might|must|mr\\.?|mrs\\.?|"
             "ms\\.?|dr\\.?|st\\.?|i'm|don't|and|or|but",
             "and|or|but|nor|so|yet|because|although|though|if|when|while|where|who|which|that|"
             "than|as|until|unless|since|before|after|in|on|at|by|for|from|to|of|with|without|"
             "about|into|over|under|between|through|during|against|like"},
    WordList{"de",
             "der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|kein|keine|keinen|mein|"
             "meine|dein|deine|sein|seine|ihr|ihre|unser|unsere|in|im|an|am|auf|aus|bei|mit|nach|"
             "von|vom|zu|zum|zur|für|durch|über|um|nicht|sehr|ich|du|er|sie|es|wir|und|oder|aber",
             "und|oder|aber|sondern|denn|weil|dass|ob|wenn|als|während|bevor|nachdem|der|die|das|"
             "in|im|an|am|auf|aus|bei|mit|nach|von|vom|zu|zum|zur|für|durch|gegen|ohne|über|unter|"
             "um|wie"},
    WordList{"fr",
             "le|la|les|un|une|des|du|de|au|aux|à|en|dans|par|pour|sur|avec|sans|mon|ma|mes|ton|"
             "ta|tes|son|sa|ses|notre|nos|votre|vos|leur|leurs|ce|cet|cette|ces|je|tu|il|elle|on|"
             "nous|vous|ils|elles|ne|n'|se|me|te|est|sont|a|ont|très|et|ou|mais|m\\.|mme",
             "et|ou|mais|donc|car|ni|que|qui|dont|où|quand|si|comme|parce|lorsque|puisque|à|de|"
             "du|des|en|dans|par|pour|sur|avec|sans|sous|chez|vers|entre"},
    WordList{"es",
             "el|la|los|las|un|una|unos|unas|al|del|de|a|en|con|por|para|sin|sobre|mi|mis|tu|tus|"
             "su|sus|nuestro|nuestra|este|esta|ese|esa|no|se|me|te|le|lo|nos|les|yo|él|ella|es|"
             "son|ha|han|he|muy|y|e|o|u|pero|sr\\.|sra\\.",
             "y|e|o|u|pero|sino|porque|que|cuando|si|como|donde|aunque|mientras|quien|a|al|de|"
             "del|en|con|por|para|sin|sobre|entre|hasta|desde|hacia"},
    WordList{"it",
             "il|lo|la|i|gli|le|un|uno|una|di|del|dello|della|dei|degli|delle|a|al|alla|ai|alle|"
             "da|dal|dalla|in|nel|nella|con|su|sul|sulla|per|tra|fra|mio|mia|tuo|tua|suo|sua|"
             "questo|questa|non|si|mi|ti|ci|vi|è|sono|ha|hanno|ho|molto|e|ed|o|ma",
             "e|ed|o|ma|perché|che|quando|se|come|dove|mentre|anche|di|del|della|a|al|alla|da|"
             "dal|dalla|in|nel|nella|con|su|per|tra|fra|senza"},
    WordList{"pt",
             "o|a|os|as|um|uma|uns|umas|de|do|da|dos|das|em|no|na|nos|nas|ao|à|aos|às|por|pelo|"
             "pela|para|com|sem|meu|minha|seu|sua|nosso|nossa|este|esta|esse|essa|não|se|me|te|"
             "é|são|foi|tem|muito|e|ou|mas|eu|ele|ela",
             "e|ou|mas|porque|que|quando|se|como|onde|embora|enquanto|de|do|da|em|no|na|ao|à|por|"
             "pelo|pela|para|com|sem|sobre|entre|até|desde"},
    WordList{"nl",
             "de|het|een|geen|mijn|jouw|zijn|haar|ons|onze|hun|deze|dit|die|dat|van|in|op|aan|"
             "met|bij|voor|door|uit|naar|om|te|niet|heel|ik|je|jij|hij|ze|zij|we|wij|is|was|en|of|"
             "maar",
             "en|of|maar|want|omdat|dat|die|als|toen|terwijl|hoewel|waar|wie|van|in|op|aan|met|"
             "bij|voor|door|uit|naar|om|over|onder|tegen|zonder|tot"},
    WordList{"ru",
             "в|во|на|с|со|к|ко|у|о|об|от|до|из|за|по|под|над|при|для|без|не|ни|и|а|но|или|мой|"
             "моя|твой|его|её|их|наш|ваш|этот|эта|это|тот|я|ты|он|она|мы|вы|они|очень",
             "и|а|но|или|что|чтобы|потому|если|когда|где|как|который|которая|которые|в|во|на|с|"
             "со|к|у|о|об|от|до|из|за|по|под|над|при|для|без|через|между"},
};

constexpr std::string_view kClosing = R"(["'”’»)\]」』）\x{200F}]*\z)";

// The patterns of kWordLists, in its order.
struct WordPatterns {
  std::vector<models::Pattern> tied;
  std::vector<models::Pattern> opening;

  WordPatterns() {
    for (const WordList& list : kWordLists) {
      tied.emplace_back("(?i)[\"'“‘«(¿¡]*(?:" + std::string(list.tied) + ")\\z");
      opening.emplace_back("(?i)[\"'“‘«(¿¡]*(?:" + std::string(list.opening) + ")\\z");
    }
  }
};

// Two words that begin with capitals: a name, but in German, where nouns do.
bool is_name(std::string_view word, std::string_view next, std::string_view language) {
  static const models::Pattern kCapital(R"(\p{Lu}(?:\p{Ll}+|\.)\z)");
  static const models::Pattern kBegin(R"(\p{Lu}\p{Ll})");
  return language != "de" && kCapital.begins(word) && kBegin.begins(next);
}

bool ends_clause(std::string_view text) {
  static const models::Pattern kClause(R"((?s).*[,;:—–،؛、，：；])" + std::string(kClosing));
  return kClause.begins(text);
}

}  // namespace

bool closes_sentence(std::string_view text) {
  static const models::Pattern kSentence(R"((?s).*[.!?…。！？｡؟۔।॥။።])" + std::string(kClosing));
  // The pattern looks at the end alone.
  constexpr std::size_t kEnd = 16;
  std::size_t at = text.size() > kEnd ? text.size() - kEnd : 0;
  while (at > 0 && !models::begins_character(text[at])) --at;
  return kSentence.begins(text.substr(at));
}

Break break_between(std::string_view word, std::string_view next, std::string_view language) {
  static const WordPatterns kPatterns;
  static const models::Pattern kClosingMark("[!?:;»%]");  // as French has them, behind a space
  const auto list = std::find_if(kWordLists.begin(), kWordLists.end(),
                                 [&](const WordList& each) { return each.language == language; });
  const auto place = static_cast<std::size_t>(list - kWordLists.begin());
  const bool is_known = list != kWordLists.end();
  if (is_known && kPatterns.tied[place].begins(word)) return Break::tied;
  if (kClosingMark.begins(next)) return Break::tied;
  if (closes_sentence(word) && !is_name(word, next, language)) return Break::sentence;
  if (ends_clause(word)) return Break::clause;
  if (is_name(word, next, language)) return Break::tied;
  return is_known && kPatterns.opening[place].begins(next) ? Break::phrase : Break::plain;
}

}  // namespace wnpu::app
