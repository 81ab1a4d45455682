#include "tools/pages/completion.h"

#include "core/base/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::tool {
namespace {

constexpr std::string_view kDevices = "gpu cpu auto";

// What may follow an option.
struct Value {
  std::string words;     // space-separated
  bool is_list = false;  // comma-separated list
  bool is_file = false;  // or a file or folder
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

Value value_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  Value value;
  value.is_list = has(type, ",");
  if (has(type, "DEVICE")) value.words = kDevices;
  for (const std::string& word : list_entries(type, '|')) {
    if (!has(type, "|") || word == "FILE" || has(word, "DEVICE")) continue;
    value.words += cat(value.words.empty() ? "" : " ", word);
  }
  // A number or a word is not a file.
  constexpr std::string_view kFiles[] = {"FILE", "DIR", "FOLDER", "MODEL", "NAME=VALUE"};
  value.is_file = std::ranges::any_of(kFiles, [&](std::string_view file) { return has(type, file); });
  return value;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string names_of_commands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : commands_of(app))
    names += cat(names.empty() ? "" : " ", command->get_name());
  return names;
}

std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::string flags_of(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& flag : flags_of(*option)) text += cat(text.empty() ? "" : " ", flag);
  return text;
}

// Prints the possible values of each option of a command.
void print_bash_values(std::ostream& out, const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->nonpositional() || is_flag(*option)) continue;
    const Value value = value_of(*option);
    std::string pattern;
    for (const std::string& flag : flags_of(*option)) pattern += cat(pattern.empty() ? "" : " | ", flag);
    out << "        " << pattern << ") words='" << value.words << "' files=" << (value.is_file ? "1" : "")
        << " list=" << (value.is_list ? "1" : "") << " flags= ;;\n";
  }
}

// Escapes quotes within single quotes, and brackets and colons, which are special in zsh.
std::string zsh_text(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    if (character == '\n') break;
    if (character == '[' || character == ']' || character == ':') safe += '\\';
    safe += character == '\'' ? R"('\'')" : std::string(1, character);
  }
  return safe;
}

std::string zsh_action(const Value& value) {
  if (value.words.empty()) return value.is_file ? ":value:_files" : ":value: ";
  if (value.is_list) return cat(":value:{_values -s , value ", value.words, "}");
  if (value.is_file) return cat(":value:{compadd -- ", value.words, "; _files}");
  return cat(":value:(", value.words, ")");
}

void print_zsh_options(std::ostream& out, const CLI::App& command, const CLI::App& app) {
  bool accepts_files = false;
  for (const CLI::Option* option : command.get_options()) {
    accepts_files |= !option->nonpositional();
    for (const std::string& flag : flags_of(*option)) {
      out << "        '*" << flag << "[" << zsh_text(option->get_description()) << "]"
          << (is_flag(*option) ? "" : zsh_action(value_of(*option))) << "' \\\n";
    }
  }
  if (command.get_name() == "help") {
    out << "        '1:command:(" << names_of_commands(app) << ")' \\\n";
  } else if (accepts_files) {
    out << "        '*:file:_files' \\\n";
  }
}

// Completes the last item of a comma-separated word. bash splits words at '='.
constexpr std::string_view kBashBegin = R"(# bash completion for nnrt
_nnrt() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= files=1 list= flags= prefix=
  COMPREPLY=()
  if [ "$word" = = ]; then
    word=
  elif [ "$before" = = ] && [ "$COMP_CWORD" -gt 1 ]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
)";
constexpr std::string_view kBashEnd = R"(  esac
  if [[ $word == -* && -n $flags ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
    return
  fi
  if [ -n "$list" ]; then
    prefix=${word%"${word##*,}"}
    word=${word##*,}
  fi
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -P "$prefix" -- "$word")
  fi
  if [ -n "$files" ]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _nnrt nnrt
)";

}  // namespace

void print_bash_completion(std::ostream& out, const CLI::App& app) {
  out << kBashBegin << "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
      << "    mapfile -t COMPREPLY < <(compgen -W '" << names_of_commands(app) << ' ' << flags_of(app)
      << "' -- \"$word\")\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* command : commands_of(app)) {
    out << "    " << command->get_name() << ")\n      flags='" << flags_of(*command) << "'\n";
    if (command->get_name() == "help") out << "      words='" << names_of_commands(app) << "' files=\n";
    out << "      case $before in\n";
    print_bash_values(out, *command);
    out << "      esac ;;\n";
  }
  out << kBashEnd;
}

void print_zsh_completion(std::ostream& out, const CLI::App& app) {
  out << "#compdef nnrt\n_nnrt() {\n  local -a commands\n  commands=(\n";
  for (const CLI::App* command : commands_of(app))
    out << "    '" << command->get_name() << ":" << zsh_text(command->get_description()) << "'\n";
  out << "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      << "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CLI::App* command : commands_of(app)) {
    out << "    " << command->get_name() << ")\n      _arguments \\\n";
    print_zsh_options(out, *command, app);
    out << "        && return ;;\n";
  }
  out << "  esac\n}\n_nnrt \"$@\"\n";
}

}  // namespace nnrt::tool
