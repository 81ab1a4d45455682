// manual man|bash|zsh: the manual page of nnrt, or its completion for a shell, from the tool's own command
// line.
#include "core/platform/settings.h"
#include "tools/nnrt/app.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace nnrt::tool;
using nnrt::SettingKind;

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Escapes what roff would take for its own.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    if (character == '\\') {
      safe += "\\e";
    } else if (character == '-') {
      safe += "\\-";
    } else if (character == '\n') {
      safe += "\n.br\n";
    } else if ((character == '.' || character == '\'') && (safe.empty() || safe.back() == '\n')) {
      safe += std::string("\\&") + character;
    } else {
      safe += character;
    }
  }
  return safe;
}

void print_option(const CLI::Option& option) {
  const std::string names = option.nonpositional() ? option.get_name(false, true) : option.get_name(true);
  const std::string type = option.nonpositional() ? option.get_type_name() : "";
  std::cout << ".TP\n\\fB" << escaped(names) << "\\fR";
  if (!type.empty()) std::cout << " \\fI" << escaped(type) << "\\fR";
  std::cout << "\n" << escaped(option.get_description()) << "\n";
}

// Without the marks of Markdown.
std::string plain(std::string_view markdown) {
  std::string text;
  for (size_t i = 0; i < markdown.size(); ++i) {
    if (markdown[i] == ']' && markdown.substr(i).starts_with("](")) {
      i = std::min(markdown.find(')', i), markdown.size());
    } else if (markdown[i] != '`' && markdown[i] != '[') {
      text += markdown[i];
    }
  }
  return text;
}

void print_setting(const nnrt::SettingRow& row) {
  std::cout << ".TP\n\\fB" << row.name << "\\fR \\fI" << escaped(nnrt::allowed_values(row)) << "\\fR\n"
            << escaped(plain(row.meaning)) << " Default: " << escaped(plain(row.default_value)) << ".\n";
}

void print_manual(const CLI::App& app) {
  std::cout << ".TH NNRT 1\n.SH NAME\nnnrt \\- runs, measures and explains neural networks\n"
            << ".SH SYNOPSIS\n\\fBnnrt\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
            << escaped(app.get_description()) << "\n.SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) {
    std::cout << ".SS nnrt " << command->get_name() << "\n" << escaped(command->get_description()) << ".\n";
    for (const CLI::Option* option : command->get_options()) print_option(*option);
    if (!command->get_footer().empty()) std::cout << ".P\n" << escaped(command->get_footer()) << "\n";
  }
  std::cout << ".SH ENVIRONMENT\n";
  for (const nnrt::SettingRow& row : nnrt::all_settings()) {
    if (row.kind == SettingKind::user || row.kind == SettingKind::foreign) print_setting(row);
  }
  std::cout << "docs/settings.md has these and those that are for tests.\n";
  std::cout << ".SH EXIT STATUS\n" << escaped(app.get_footer()) << "\n";
}

std::string flags_of(const CLI::App& app) {
  std::string flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_snames()) flags += " -" + name;
    for (const std::string& name : option->get_lnames()) flags += " --" + name;
  }
  return flags;
}

void print_completion(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : commands_of(app)) names += " " + command->get_name();
  std::cout << "# bash completion for nnrt\n_nnrt() {\n"
            << "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags=\n"
            << "  COMPREPLY=()\n  if [ \"$COMP_CWORD\" = 1 ]; then\n"
            << "    mapfile -t COMPREPLY < <(compgen -W '" << names.substr(1) << flags_of(app)
            << "' -- \"$word\")\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* command : commands_of(app)) {
    std::cout << "    " << command->get_name() << ") flags='" << flags_of(*command).substr(1) << "' ;;\n";
  }
  std::cout << "  esac\n  case $before in\n"
            << "    -d | --device | --devices | --compare)\n"
            << "      mapfile -t COMPREPLY < <(compgen -W 'gpu cpu auto' -- \"$word\") ;;\n"
            << "    *)\n      case $word in\n"
            << "        -*) mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$word\") ;;\n"
            << "        *) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n      esac ;;\n  esac\n}\n"
            << "complete -o filenames -F _nnrt nnrt\n";
}

// Quotes within single quotes, and brackets and colons, that mean something to zsh.
std::string zsh_text(std::string_view text) {
  std::string safe;
  for (const char character : text) {
    if (character == '\n') break;
    if (character == '[' || character == ']' || character == ':') safe += '\\';
    safe += character == '\'' ? '`' : character;
  }
  return safe;
}

void print_zsh_option(const CLI::Option& option) {
  if (!option.nonpositional()) {
    std::cout << "        '*:file:_files' \\\n";
    return;
  }
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const bool is_device = std::ranges::find(names, "--device") != names.end();
  const std::string value = option.get_type_size() == 0 ? ""
                            : is_device                 ? ":device:(gpu cpu auto)"
                                                        : ":value:_files";
  for (const std::string& name : names)
    std::cout << "        '*" << name << "[" << zsh_text(option.get_description()) << "]" << value
              << "' \\\n";
}

void print_zsh_completion(const CLI::App& app) {
  std::cout << "#compdef nnrt\n_nnrt() {\n  local -a commands\n  commands=(\n";
  for (const CLI::App* command : commands_of(app))
    std::cout << "    '" << command->get_name() << ":" << zsh_text(command->get_description()) << "'\n";
  std::cout << "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
            << "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CLI::App* command : commands_of(app)) {
    std::cout << "    " << command->get_name() << ")\n      _arguments \\\n";
    for (const CLI::Option* option : command->get_options()) print_zsh_option(*option);
    std::cout << "        && return ;;\n";
  }
  std::cout << "  esac\n}\n_nnrt \"$@\"\n";
}

}  // namespace

int main(int argc, char** argv) {
  Action action;
  const auto app = make_app(action);
  const std::string_view form = argc == 2 ? argv[1] : "";
  if (form == "man") {
    print_manual(*app);
  } else if (form == "bash") {
    print_completion(*app);
  } else if (form == "zsh") {
    print_zsh_completion(*app);
  } else {
    std::fputs("usage: nnrt_manual man|bash|zsh\n", stderr);
    return 2;
  }
  return std::cout ? 0 : 1;
}
