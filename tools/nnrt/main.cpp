// nnrt: devices, runs, measurements and reports of models, through the public C API.
#include "tools/nnrt/command.h"

#include <iostream>

namespace {

constexpr const char* kAbout =
    "Runs, measures and explains neural networks on OpenHarmony's NNRt API.\n"
    "Models: TensorFlow Lite (.tflite), ONNX (.onnx), offline models (.nnrt), conformance cases (.jsonl).\n";

constexpr const char* kCodes =
    "\nExit codes: 0 it worked; 1 it did not; 2 the command line makes no sense.\n"
    "`nnrt COMMAND --help` explains a command.";

}  // namespace

int main(int argc, char** argv) {
  using namespace nnrt;
  CLI::App app(kAbout, "nnrt");
  app.footer(kCodes);
  app.require_subcommand(1);
  tool::Action action;
  for (const auto add : {tool::add_devices, tool::add_run, tool::add_bench, tool::add_plan, tool::add_profile,
                         tool::add_compile, tool::add_convert}) {
    add(app, action);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return 2;
  }
  try {
    const Status status = action();
    if (status.ok()) return 0;
    std::cerr << "nnrt: " << status.error().message << std::endl;
    return status.error().code == Code::invalid_parameter ? 2 : 1;
  } catch (const std::exception& error) {  // memory may be short
    std::cerr << "nnrt: " << error.what() << std::endl;
    return 1;
  }
}
