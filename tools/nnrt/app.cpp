#include "tools/nnrt/app.h"

#include "core/base/text.h"

#include <iostream>

namespace nnrt::tool {
namespace {

constexpr const char* kAbout =
    "Runs, measures and inspects neural networks through OpenHarmony's NNRt API.\n"
    "Models: TensorFlow Lite (.tflite), ONNX (.onnx), MindSpore Lite (.ms), offline models (.nnrt), "
    "conformance\n"
    "cases (.jsonl).\n";

constexpr const char* kExitCodes =
    "\nExit codes: 0 success; 1 failure; 2 invalid command line; 130 interrupted.\n"
    "`nnrt COMMAND --help` shows the help of a command.";

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
      std::cout << app.get_formatter()->make_help(&explained, name, CLI::AppFormatMode::Normal);
      return {};
    };
  });
}

}  // namespace

std::unique_ptr<CLI::App> make_app(Action& action) {
  auto app = std::make_unique<CLI::App>(kAbout, "nnrt");
  app->footer(kExitCodes);
  app->require_subcommand(1);
  app->set_version_flag("--version", "nnrt " NNRT_VERSION);
  CommandLine line(*app);
  for (const auto add : {add_devices, add_run, add_compare, add_bench, add_plan, add_profile, add_compile,
                         add_convert, add_quantize, add_accuracy, add_generate, add_info}) {
    add(line, action);
  }
  add_help(line, action, *app);
  return app;
}

}  // namespace nnrt::tool
