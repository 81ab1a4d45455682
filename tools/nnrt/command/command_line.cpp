#include "tools/nnrt/command/command_line.h"

#include <CLI/CLI.hpp>

namespace nnrt::tool {

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
  option_->check(CLI::PositiveNumber);
  return *this;
}

CommandOption& CommandOption::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}

CommandOption& CommandOption::between(int min, int max) {
  option_->check(CLI::Range(min, max));
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
  return CommandOption(app_->add_option(names, value, description));
}

CommandOption CommandLine::option(const char* names, uint64_t& value, const char* description) {
  return CommandOption(app_->add_option(names, value, description));
}

CommandOption CommandLine::option(const char* names, double& value, const char* description) {
  return CommandOption(app_->add_option(names, value, description));
}

CommandOption CommandLine::option(const char* names, std::optional<double>& value, const char* description) {
  return CommandOption(app_->add_option(names, value, description));
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
