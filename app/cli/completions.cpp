#include "app/cli/completions.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "app/options/option_values.h"

namespace wnpu::app {
namespace {

using Words = std::vector<std::string>;

// Candidates behind a command's words, or behind the program alone.
struct Offer {
  Words command;  // "npu", "op", "list"; none: the program
  std::vector<const CLI::Option*> options;
  std::vector<const CLI::App*> actions;
  bool takes_files = false;
  Words values = {};  // what may stand there instead of a file
};

std::string joined(const Words& words, const std::string& between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

void collect_options(const CLI::App& command, std::vector<const CLI::Option*>& options) {
  for (const CLI::Option* option : command.get_options()) {
    const auto is_same = [&](const CLI::Option* each) { return *each == *option; };
    if (!option->get_positional() && std::ranges::none_of(options, is_same))
      options.push_back(option);
  }
}

// The words in the name of an option's type: "int8" of "auto|int8", none of "N" and "sim:COUNT".
Words values_of(const CLI::Option& option) {
  Words values;
  std::string type = option.get_type_name();
  std::erase_if(type, [](char c) { return c == '[' || c == ']'; });
  for (const std::string& part : CLI::detail::split(type, '|')) {
    const bool is_word = std::ranges::all_of(part, [](unsigned char c) {
      return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '.';
    });
    const bool is_constant = part == "True" || part == "False" || part == "None";
    if (is_constant || (is_word && part.size() > 1)) values.push_back(part);
  }
  return values;
}

void add_offers(const CLI::App& app, const Words& command, std::vector<Offer>& offers) {
  Offer offer{
      command, {}, app.get_subcommands([](const CLI::App*) { return true; }), takes_files(app)};
  collect_options(app, offer.options);
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) offer.values = values_of(*option);
  }
  if (!offer.values.empty()) offer.takes_files = false;
  offers.push_back(offer);
  for (const CLI::App* action : offer.actions) {
    Words words = command;
    words.push_back(action->get_name());
    add_offers(*action, words, offers);
  }
}

bool takes_path(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return std::ranges::any_of(Words{"FILE", "PATH", "DIR"}, [&](const std::string& kind) {
    return type.find(kind) != std::string::npos;
  });
}

bool takes_model(const CLI::Option& option) { return option.get_type_name() == kModelType; }

Words spellings_of(const CLI::Option& option) {
  Words names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

// Within single quotes, which all three shells know.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

// How far the words on the line are a command's: bash and zsh, whose words begin at `first`.
std::string find_command(const std::vector<Offer>& offers, const std::string& loop,
                         const std::string& word) {
  std::string text = "  for (" + loop + "); do\n    case \"$command/" + word + "\" in\n";
  for (const Offer& offer : offers) {
    if (offer.command.empty()) continue;
    const Words above(offer.command.begin(), offer.command.end() - 1);
    const std::string pattern = joined(above) + "/" + offer.command.back();
    text += "      " + quoted(pattern) + ") command=" + quoted(joined(offer.command)) + " ;;\n";
  }
  return text + "    esac\n  done\n";
}

// Prints the models that are here, a line each; `program` is its word on the line.
std::string list_models(const std::string& program) {
  return program + " models list --here --names 2>/dev/null";
}

std::string bash_values(const Offer& offer, const Words& models) {
  std::string text;
  for (const CLI::Option* option : offer.options) {
    if (!takes_value(*option)) continue;
    Words patterns;
    for (const std::string& name : spellings_of(*option))
      patterns.push_back(quoted(joined(offer.command) + "/" + name));
    text += "    " + joined(patterns, " | ") + ")";
    const Words values = values_of(*option);
    if (takes_model(*option)) {
      text += " mapfile -t COMPREPLY < <(compgen -W " + quoted(joined(models)) + "\" $(" +
              list_models("\"${COMP_WORDS[0]}\"") + ")\" -- \"$cur\"; compgen -f -- \"$cur\");";
    } else if (takes_path(*option))
      text += " mapfile -t COMPREPLY < <(compgen -f -- \"$cur\");";
    if (!values.empty()) {
      text += " mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W " + quoted(joined(values)) +
              " -- \"$cur\");";
    }
    text += " return ;;\n";
  }
  return text;
}

std::string bash_words(const Offer& offer, bool of_options) {
  Words words;
  if (of_options) {
    for (const CLI::Option* option : offer.options) {
      for (const std::string& name : spellings_of(*option)) words.push_back(name);
    }
  }
  for (const CLI::App* action : offer.actions) {
    if (!of_options) words.push_back(action->get_name());
  }
  if (!of_options) words.insert(words.end(), offer.values.begin(), offer.values.end());
  std::string text = "      " + quoted(joined(offer.command)) + ") mapfile -t COMPREPLY < <(";
  text += "compgen -W " + quoted(joined(words)) + " -- \"$cur\"";
  if (!of_options && offer.takes_files) {
    text += "; compgen -f -- \"$cur\"";
  }
  return text + ") ;;\n";
}

std::string bash_script(const std::vector<Offer>& offers, const Words& models) {
  std::string text =
      "# Completion of whisper-npu for bash; made by its build.\n"
      "_whisper_npu() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= i\n"
      "  COMPREPLY=()\n"
      "  # bash takes --name=value for three words.\n"
      "  if [ \"$cur\" = = ]; then cur=\n"
      "  elif [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n" +
      find_command(offers, "(i = 1; i < COMP_CWORD; i++)", "${COMP_WORDS[i]}") +
      "  case \"$command/$prev\" in\n";
  for (const Offer& offer : offers) text += bash_values(offer, models);
  text += "  esac\n  if [[ $cur == -* ]]; then\n    case \"$command\" in\n";
  for (const Offer& offer : offers) text += bash_words(offer, true);
  text += "    esac\n  else\n    case \"$command\" in\n";
  for (const Offer& offer : offers) text += bash_words(offer, false);
  return text + "    esac\n  fi\n}\ncomplete -o filenames -F _whisper_npu whisper-npu\n";
}

// Escapes text for _arguments: "--name[help]:value:(a b)", where these marks have a meaning.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

// Action of _arguments that completes the option's value.
std::string zsh_value(const CLI::Option& option) {
  if (takes_model(option)) return "_whisper_npu_models";
  if (takes_path(option)) return "_files";
  const Words values = values_of(option);
  return values.empty() ? " " : "(" + joined(values) + ")";
}

std::string zsh_options(const Offer& offer) {
  std::string text;
  for (const CLI::Option* option : offer.options) {
    std::string rest = "[" + zsh_text(option->get_description()) + "]";
    if (takes_value(*option)) rest += ":value:" + zsh_value(*option);
    for (const std::string& name : spellings_of(*option)) {
      const std::string mark = takes_value(*option) && name.starts_with("--") ? "=" : "";
      text += "        " + quoted("*" + name + mark + rest) + "\n";
    }
  }
  return text;
}

std::string zsh_script(const std::vector<Offer>& offers, const Words& models) {
  std::string text =
      "#compdef whisper-npu\n"
      "# Completion of whisper-npu for zsh; made by its build.\n"
      "_whisper_npu_models() {\n"
      "  local -a models\n"
      "  models=(" +
      joined(models) + " ${(f)\"$(" + list_models("$words[1]") +
      ")\"})\n"
      "  _alternative \"models:model:($models)\" 'files:file:_files'\n"
      "}\n"
      "_whisper_npu() {\n"
      "  local command= i\n"
      "  local -a options actions\n" +
      find_command(offers, "(i = 2; i < CURRENT; i++)", "${words[i]}") + "  case \"$command\" in\n";
  for (const Offer& offer : offers) {
    text += "    " + quoted(joined(offer.command)) + ")\n      options=(\n" + zsh_options(offer);
    // The command's own words are arguments to zsh.
    const std::string others = offer.values.empty() ? " " : "(" + joined(offer.values) + ")";
    text += offer.takes_files ? "        '*:file:_files'\n" : "        '*: :" + others + "'\n";
    text += "      )\n";
    for (const CLI::App* action : offer.actions) {
      const std::string entry = zsh_text(action->get_name()) + ":" + action->get_description();
      text += "      actions+=(" + quoted(entry) + ")\n";
    }
    text += "      ;;\n";
  }
  return text +
         "  esac\n"
         "  [[ ${words[CURRENT]} == -* ]] || (( ! $#actions )) || _describe action actions\n"
         "  _arguments -s : $options\n"
         "}\n"
         "_whisper_npu \"$@\"\n";
}

// Whether the words on the line are this command's so far.
std::string fish_condition(const Offer& offer) {
  if (offer.command.empty()) return "__fish_use_subcommand";
  Words conditions;
  for (const std::string& word : offer.command)
    conditions.push_back("__fish_seen_subcommand_from " + word);
  Words actions;
  for (const CLI::App* action : offer.actions) actions.push_back(action->get_name());
  if (!actions.empty()) conditions.push_back("not __fish_seen_subcommand_from " + joined(actions));
  return joined(conditions, "; and ");
}

std::string fish_option(const CLI::Option& option, const Words& models) {
  std::string text;
  for (const std::string& name : option.get_lnames()) text += " -l " + name;
  for (const std::string& name : option.get_snames()) text += " -s " + name;
  if (takes_value(option)) {
    const Words values = values_of(option);
    text += takes_path(option) ? " -r -F" : " -x";
    if (takes_model(option)) {
      text += " -a " + quoted(joined(models) + " (" + "set -l line (commandline -opc); " +
                              list_models("$line[1]") + ")");
    } else if (!values.empty()) {
      text += " -a " + quoted(joined(values));
    }
  }
  return text + " -d " + quoted(option.get_description());
}

std::string fish_script(const std::vector<Offer>& offers, const Words& models) {
  std::string text = "# Completion of whisper-npu for fish; made by its build.\n";
  for (const Offer& offer : offers) {
    const std::string begin = "complete -c whisper-npu -n " + quoted(fish_condition(offer));
    if (!offer.takes_files) text += begin + " -f\n";
    if (!offer.values.empty()) text += begin + " -a " + quoted(joined(offer.values)) + "\n";
    for (const CLI::App* action : offer.actions) {
      text +=
          begin + " -a " + action->get_name() + " -d " + quoted(action->get_description()) + "\n";
    }
    for (const CLI::Option* option : offer.options)
      text += begin + fish_option(*option, models) + "\n";
  }
  return text;
}

}  // namespace

std::string completions_of(const CLI::App& program, const CLI::App& usual, const Words& models,
                           Shell shell) {
  std::vector<Offer> offers;
  add_offers(program, {}, offers);
  collect_options(usual, offers.front().options);
  offers.front().takes_files = true;
  switch (shell) {
    case Shell::bash:
      return bash_script(offers, models);
    case Shell::zsh:
      return zsh_script(offers, models);
    case Shell::fish:
      break;
  }
  return fish_script(offers, models);
}

}  // namespace wnpu::app
