#include "tools/nnrt/command/app.h"

namespace nnrt::tool {
namespace {

constexpr const char* kAbout =
    "Runs, measures and explains neural networks on OpenHarmony's NNRt API.\n"
    "Models: TensorFlow Lite (.tflite), ONNX (.onnx), offline models (.nnrt), conformance cases (.jsonl).\n";

constexpr const char* kExitCodes =
    "\nExit codes: 0 it worked; 1 it did not; 2 the command line makes no sense.\n"
    "`nnrt COMMAND --help` explains a command.";

}  // namespace

std::unique_ptr<CLI::App> make_app(Action& action) {
  auto app = std::make_unique<CLI::App>(kAbout, "nnrt");
  app->footer(kExitCodes);
  app->require_subcommand(1);
  CommandLine line(*app);
  for (const auto add : {add_devices, add_run, add_compare, add_bench, add_plan, add_profile, add_compile,
                         add_convert, add_generate, add_info}) {
    add(line, action);
  }
  return app;
}

}  // namespace nnrt::tool
