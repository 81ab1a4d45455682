#include "tools/nnrt/command/command_line.h"

#include "core/base/text.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>

namespace nnrt::tool {
namespace {

// The parser asks before it converts the text.
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
  require_number(option, "no number", [](double) { return true; });
  return option;
}

// Checks a type that has only whole numbers from 0 on.
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

}  // namespace

std::string sentence_of(const CLI::ParseError& error) {
  std::string text = error.what();
  // The parser puts the option's name before what a check of ours says.
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
  require_number(option_, "no number from 0 on", [](double number) { return number >= 0; });
  return *this;
}

CommandOption& CommandOption::between(int min, int max) {
  require_number(option_, cat("not between ", min, " and ", max),
                 [min, max](double number) { return number >= min && number <= max; });
  return *this;
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

CommandOption CommandLine::option(const char* names, uint32_t& value, const char* description) {
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
