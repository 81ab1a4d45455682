// Commands and their options. The parser behind, CLI11, is a header of which a file takes ten seconds to
// compile: only command_line.cpp and those who ask for the whole parser include it.
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

// So often a model may be run by one command: a command may add up two of these.
inline constexpr uint32_t kMaxRuns = 1000000000;

// Says what is wrong with a command line, and names the command or option that was probably meant.
std::string sentence_of(const CLI::ParseError& error, const CLI::App& app);

class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption& required();
  CommandOption& shows_default();               // in the help
  CommandOption& type_name(const char* name);   // "FILE"
  CommandOption& one_value();                   // each time it is given; it may be given several times
  CommandOption& separated_by(char separator);  // several values in one argument
  // Numbers are finite, whatever the option; what is none of these is told in a sentence.
  CommandOption& positive();
  CommandOption& not_negative();
  CommandOption& max(uint32_t value);
  CommandOption& between(int min, int max);
  CommandOption& when_given(std::function<void()> action);

 private:
  CLI::Option* option_;
};

class CommandLine {
 public:
  explicit CommandLine(CLI::App& app) : app_(&app) {}

  CommandLine command(const char* name, const char* description);

  // "-d,--device", or "MODEL" for what is given by its position.
  CommandOption option(const char* names, std::string& value, const char* description);
  CommandOption option(const char* names, uint32_t& value, const char* description);
  CommandOption option(const char* names, uint64_t& value, const char* description);
  CommandOption option(const char* names, double& value, const char* description);
  CommandOption option(const char* names, std::optional<double>& value, const char* description);
  CommandOption option(const char* names, std::vector<std::string>& value, const char* description);
  // Sets `value` to `given` where the flag is given.
  void flag(const char* name, bool& value, const char* description, bool given = true);

  void footer(const char* text);
  void when_called(std::function<void()> action);

 private:
  CLI::App* app_;
};

}  // namespace nnrt::tool
