#include "bench/contractions.h"

#include <array>

namespace wnpu::bench {
namespace {

constexpr auto kAnywhere = ContractionStart::kAnywhere;

// The rules of EnglishTextNormalizer.replacers, openai/whisper whisper/normalizers/english.py,
// release 20250625. A title is followed by a space of its own, since its full stop goes later.
constexpr auto kContractions = std::to_array<Contraction>({
    {U"won't", U"will not"},
    {U"can't", U"can not"},
    {U"let's", U"let us"},
    {U"ain't", U"aint"},
    {U"y'all", U"you all"},
    {U"wanna", U"want to"},
    {U"gotta", U"got to"},
    {U"gonna", U"going to"},
    {U"i'ma", U"i am going to"},
    {U"imma", U"i am going to"},
    {U"woulda", U"would have"},
    {U"coulda", U"could have"},
    {U"shoulda", U"should have"},
    {U"ma'am", U"madam"},
    // titles
    {U"mr", U"mister "},
    {U"mrs", U"missus "},
    {U"st", U"saint "},
    {U"dr", U"doctor "},
    {U"prof", U"professor "},
    {U"capt", U"captain "},
    {U"gov", U"governor "},
    {U"ald", U"alderman "},
    {U"gen", U"general "},
    {U"sen", U"senator "},
    {U"rep", U"representative "},
    {U"pres", U"president "},
    {U"rev", U"reverend "},
    {U"hon", U"honorable "},
    {U"asst", U"assistant "},
    {U"assoc", U"associate "},
    {U"lt", U"lieutenant "},
    {U"col", U"colonel "},
    {U"jr", U"junior "},
    {U"sr", U"senior "},
    {U"esq", U"esquire "},
    // perfect tenses
    {U"'d been", U" had been", kAnywhere},
    {U"'s been", U" has been", kAnywhere},
    {U"'d gone", U" had gone", kAnywhere},
    {U"'s gone", U" has gone", kAnywhere},
    {U"'d done", U" had done", kAnywhere},
    {U"'s got", U" has got", kAnywhere},
    // all others
    {U"n't", U" not", kAnywhere},
    {U"'re", U" are", kAnywhere},
    {U"'s", U" is", kAnywhere},
    {U"'d", U" would", kAnywhere},
    {U"'ll", U" will", kAnywhere},
    {U"'t", U" not", kAnywhere},
    {U"'ve", U" have", kAnywhere},
    {U"'m", U" am", kAnywhere},
});

}  // namespace

std::span<const Contraction> contractions() { return kContractions; }

}  // namespace wnpu::bench
