// manual man|bash|zsh: generates nnrt's man page or shell completion from its command line.
#include "core/platform/settings.h"
#include "tools/nnrt/app.h"
#include "tools/pages/completion.h"

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

// Escapes characters that are special in roff.
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

// Strips Markdown markup.
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
  std::cout << ".TH NNRT 1\n.SH NAME\nnnrt \\- runs, measures and inspects neural networks\n"
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
  std::cout << "docs/settings.md also lists the settings for tests.\n";
  std::cout << ".SH EXIT STATUS\n" << escaped(app.get_footer()) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  Action action;
  const auto app = make_app(action);
  const std::string_view form = argc == 2 ? argv[1] : "";
  if (form == "man") {
    print_manual(*app);
  } else if (form == "bash") {
    print_bash_completion(std::cout, *app);
  } else if (form == "zsh") {
    print_zsh_completion(std::cout, *app);
  } else {
    std::fputs("usage: nnrt_manual man|bash|zsh\n", stderr);
    return 2;
  }
  return std::cout ? 0 : 1;
}
