#include "tools/nnrt/command/command_line.h"

#include "core/base/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <numeric>
#include <sstream>
#include <utility>

namespace nnrt::tool {
namespace {

// Checks the text before the parser converts it.
void require(CLI::Option* option, const std::string& rule,
             const std::function<bool(const std::string&)>& is_right) {
  option->check(
      [option, rule, is_right](const std::string& text) {
        return is_right(text) ? "" : cat("Option ", option->get_name(), " (", text, ") is ", rule, ".");
      },
      "");
}

std::optional<double> finite_number(const std::string& text) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double number = 0;
  if (!(stream >> number) || !stream.eof() || !std::isfinite(number)) return {};
  return number;
}

template <typename IsRight>
void require_number(CLI::Option* option, const std::string& rule, IsRight is_right) {
  require(option, rule, [is_right](const std::string& text) {
    const auto number = finite_number(text);
    return number && is_right(*number);
  });
}

CLI::Option* finite(CLI::Option* option) {
  require_number(option, "not a number", [](double) { return true; });
  return option;
}

// Checks that the value is an unsigned integer.
template <typename Number>
CLI::Option* whole(CLI::Option* option) {
  constexpr Number kMax = std::numeric_limits<Number>::max();
  require(option, "no whole number", [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  });
  require(option, cat("more than ", kMax), [](const std::string& text) {
    Number number = 0;
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  });
  return option;
}

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// " Did you mean run?"; empty if no name is close.
std::string suggestion(const std::string& text, const std::vector<std::string>& names) {
  const auto distance = [&](const std::string& name) { return edit_distance(text, name); };
  const auto nearest = std::ranges::min_element(names, {}, distance);
  if (nearest == names.end() || distance(*nearest) > std::max<size_t>(2, text.size() / 3)) return "";
  return cat(" Did you mean ", *nearest, "?");
}

std::string sentence_of_command(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return "No command was given; `nnrt help` lists them.";
  if (extras[0].starts_with('-'))
    return cat("Option (", extras[0], ") does not exist; `nnrt help` lists commands and options.");
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return cat("Command (", extras[0], ") does not exist; `nnrt help` lists them.",
             suggestion(extras[0], names));
}

std::string sentence_of_extras(const CLI::App& command) {
  std::vector<std::string> extras = command.remaining();
  const auto option =
      std::ranges::find_if(extras, [](const std::string& extra) { return extra.starts_with('-'); });
  const std::string help = cat("`nnrt ", command.get_name(), " --help` lists its options.");
  if (option == extras.end()) return cat("Argument (", extras.back(), ") was not expected; ", help);
  std::vector<std::string> names;
  for (const CLI::Option* known : command.get_options()) {
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
  }
  const std::string text = option->substr(0, option->find('='));
  return cat("Option (", text, ") of `nnrt ", command.get_name(), "` does not exist; ", help,
             suggestion(text, names));
}

}  // namespace

std::string sentence_of(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  if (commands.empty()) return sentence_of_command(app);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return sentence_of_extras(*commands[0]);
  std::string text = error.what();
  // The parser prepends the option's name to messages of our checks.
  const size_t own = text.find(": Option ");
  if (own != text.npos) text.erase(0, own + 2);
  if (!text.empty() && !text.ends_with('.')) text += '.';
  return text;
}

CommandOption& CommandOption::required() {
  option_->required();
  return *this;
}

CommandOption& CommandOption::shows_default() {
  option_->capture_default_str();
  return *this;
}

CommandOption& CommandOption::type_name(const char* name) {
  option_->type_name(name);
  return *this;
}

CommandOption& CommandOption::one_value() {
  option_->allow_extra_args(false);
  return *this;
}

CommandOption& CommandOption::separated_by(char separator) {
  option_->delimiter(separator);
  return *this;
}

CommandOption& CommandOption::positive() {
  require_number(option_, "no positive number", [](double number) { return number > 0; });
  return *this;
}

CommandOption& CommandOption::not_negative() {
  require_number(option_, "not a number of at least 0", [](double number) { return number >= 0; });
  return *this;
}

CommandOption& CommandOption::between(int min, int max) {
  require_number(option_, cat("not between ", min, " and ", max),
                 [min, max](double number) { return number >= min && number <= max; });
  return *this;
}

CommandOption& CommandOption::one_of(const char* words) {
  const std::vector<std::string> list = list_entries(words, '|');
  std::string rule = "not " + list[0];
  for (size_t i = 1; i < list.size(); ++i) rule += (i + 1 < list.size() ? ", " : " or ") + list[i];
  require(option_, rule,
          [list](const std::string& text) { return std::ranges::find(list, text) != list.end(); });
  return type_name(words);
}

CommandOption& CommandOption::max(uint32_t value) {
  require_number(option_, cat("more than ", value), [value](double number) { return number <= value; });
  return *this;
}

CommandOption& CommandOption::when_given(std::function<void()> action) {
  option_->each([action = std::move(action)](const std::string&) { action(); });
  return *this;
}

CommandLine CommandLine::command(const char* name, const char* description) {
  return CommandLine(*app_->add_subcommand(name, description));
}

CommandOption CommandLine::option(const char* names, std::string& value, const char* description) {
  return CommandOption(app_->add_option(names, value, description));
}

CommandOption CommandLine::option(const char* names, std::optional<std::string>& value,
                                  const char* description) {
  return CommandOption(app_->add_option(names, value, description));
}

CommandOption CommandLine::option(const char* names, uint32_t& value, const char* description) {
  return CommandOption(whole<uint32_t>(app_->add_option(names, value, description)));
}

CommandOption CommandLine::option(const char* names, std::optional<uint32_t>& value,
                                  const char* description) {
  return CommandOption(whole<uint32_t>(app_->add_option(names, value, description)));
}

CommandOption CommandLine::option(const char* names, uint64_t& value, const char* description) {
  return CommandOption(whole<uint64_t>(app_->add_option(names, value, description)));
}

CommandOption CommandLine::option(const char* names, double& value, const char* description) {
  return CommandOption(finite(app_->add_option(names, value, description)));
}

CommandOption CommandLine::option(const char* names, std::optional<double>& value, const char* description) {
  return CommandOption(finite(app_->add_option(names, value, description)));
}

CommandOption CommandLine::option(const char* names, std::vector<std::string>& value,
                                  const char* description) {
  return CommandOption(app_->add_option(names, value, description));
}

void CommandLine::flag(const char* name, bool& value, const char* description, bool given) {
  app_->add_flag_callback(
      name, [&value, given] { value = given; }, description);
}

void CommandLine::footer(const char* text) { app_->footer(text); }

void CommandLine::when_called(std::function<void()> action) { app_->callback(std::move(action)); }

}  // namespace nnrt::tool
