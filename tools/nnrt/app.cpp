#include "tools/nnrt/app.h"

#include "core/base/text.h"
#include "tools/nnrt/base/style.h"
#include "tools/nnrt/base/table.h"

#include <unistd.h>

#include <iostream>

namespace nnrt::tool {
namespace {

constexpr const char* kAbout =
    "Runs, measures and inspects neural networks through OpenHarmony's NNRt API.\n"
    "Models: TensorFlow Lite (.tflite), ONNX (.onnx), MindSpore Lite (.ms), offline models (.nnrt), "
    "conformance cases (.jsonl).\n";

constexpr const char* kExitCodes =
    "\nExit codes: 0 success; 1 failure; 2 invalid command line; 130 interrupted.\n"
    "`nnrt COMMAND --help` shows the help of a command.";

// Breaks lines between words.
class HelpFormatter : public CLI::Formatter {
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string type = is_positional ? "" : make_option_opts(option);
    return entry(make_option_name(option, is_positional) + type, make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description());
  }
  std::string make_description(const CLI::App* app) const override {
    return lines(app->get_description()) + '\n';
  }

  static size_t room() {
    constexpr size_t kMax = 100;
    return std::min(terminal_width(STDOUT_FILENO, kMax), kMax);
  }

  std::string entry(const std::string& name, const std::string& text) const {
    const size_t column = get_column_width(), columns = room() - std::min(room() - 1, column);
    std::string shown = "  " + name;
    shown +=
        shown.size() < column ? std::string(column - shown.size(), ' ') : "\n" + std::string(column, ' ');
    bool is_first = true;
    for (const std::string& line : wrapped(text, columns)) {
      if (!is_first) shown += '\n' + std::string(column, ' ');
      shown += line;
      is_first = false;
    }
    return shown + '\n';
  }

  static std::string lines(std::string_view text) {
    std::string shown;
    for (const std::string& paragraph : list_entries(text, '\n'))
      for (const std::string& line : wrapped(paragraph, room())) shown += line + '\n';
    return shown;
  }
};

// `nnrt help` is `nnrt --help`, and `nnrt help run` is `nnrt run --help`.
void add_help(CommandLine& line, Action& action, const CLI::App& app) {
  const auto topic = std::make_shared<std::string>();
  CommandLine command = line.command("help", "Shows the help of a command, or lists all commands");
  command.option("COMMAND", *topic, "The command");
  command.when_called([topic, &action, &app] {
    action = [topic, &app]() -> Status {
      const auto named =
          app.get_subcommands([&](const CLI::App* each) { return each->get_name() == *topic; });
      if (named.empty() && !topic->empty()) return invalid("Command (", *topic, ") does not exist.");
      // App::help() would print the help of the command being run, which is `help`.
      const CLI::App& explained = named.empty() ? app : *named.front();
      const std::string name = cat(app.get_name(), named.empty() ? "" : " ", *topic);
      print_with_headings(std::cout,
                          app.get_formatter()->make_help(&explained, name, CLI::AppFormatMode::Normal));
      return {};
    };
  });
}

}  // namespace

std::unique_ptr<CLI::App> make_app(Action& action) {
  auto app = std::make_unique<CLI::App>(kAbout, "nnrt");
  app->formatter(std::make_shared<HelpFormatter>());
  app->footer(kExitCodes);
  app->require_subcommand(1);
  app->set_version_flag("--version", "nnrt " NNRT_VERSION);
  CommandLine line(*app);
  for (const auto add :
       {add_devices, add_doctor, add_run, add_compare, add_cut, add_bench, add_plan, add_profile, add_compile,
        add_convert, add_quantize, add_accuracy, add_generate, add_info}) {
    add(line, action);
  }
  add_help(line, action, *app);
  return app;
}

}  // namespace nnrt::tool
