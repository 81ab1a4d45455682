// Commands and their options. The header of CLI11, the parser, costs ten seconds of compile time: only
// command_line.cpp and files that need the full parser include it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace nnrt::tool {

// Limit for the number of runs; a command may add two of these without overflow.
inline constexpr uint32_t kMaxRuns = 1000000000;

// The parse error as a sentence, with a suggestion for misspelled commands and options.
std::string sentence_of(const CLI::ParseError& error, const CLI::App& app);

class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption& required();
  CommandOption& shows_default();               // in the help text
  CommandOption& type_name(const char* name);   // "FILE"
  CommandOption& one_value();                   // per occurrence; the option may be repeated
  CommandOption& separated_by(char separator);  // several values in one argument
  // Numbers must be finite for every option; other values give an error.
  CommandOption& positive();
  CommandOption& not_negative();
  CommandOption& max(uint32_t value);
  CommandOption& between(int min, int max);
  CommandOption& one_of(const char* words);  // "auto|on|off", also the name of the type
  CommandOption& when_given(std::function<void()> action);

 private:
  CLI::Option* option_;
};

class CommandLine {
 public:
  explicit CommandLine(CLI::App& app) : app_(&app) {}

  CommandLine command(const char* name, const char* description);

  // "-d,--device", or "MODEL" for a positional argument.
  CommandOption option(const char* names, std::string& value, const char* description);
  CommandOption option(const char* names, std::optional<std::string>& value, const char* description);
  CommandOption option(const char* names, uint32_t& value, const char* description);
  CommandOption option(const char* names, std::optional<uint32_t>& value, const char* description);
  CommandOption option(const char* names, uint64_t& value, const char* description);
  CommandOption option(const char* names, double& value, const char* description);
  CommandOption option(const char* names, std::optional<double>& value, const char* description);
  CommandOption option(const char* names, std::vector<std::string>& value, const char* description);
  // Sets `value` to `given` if the flag is present.
  void flag(const char* name, bool& value, const char* description, bool given = true);

  void footer(const char* text);
  void when_called(std::function<void()> action);

 private:
  CLI::App* app_;
};

}  // namespace nnrt::tool
