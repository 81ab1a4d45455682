// nnrt: devices, runs, measurements and reports of models, through the public C API.
#include "tools/nnrt/app.h"

#include <iostream>

int main(int argc, char** argv) {
  using namespace nnrt;
  tool::Action action;
  const auto app = tool::make_app(action);
  try {
    app->parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app->exit(success);
  } catch (const CLI::ParseError& error) {
    app->exit(error);
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
