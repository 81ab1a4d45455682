// nnrt: lists devices, runs, measures and inspects models through the public C API.
#include "core/platform/descriptor.h"
#include "tools/nnrt/app.h"
#include "tools/nnrt/base/interrupt.h"
#include "tools/nnrt/base/output.h"
#include "tools/nnrt/base/style.h"
#include "tools/nnrt/session/api_calls.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <new>

namespace {

using namespace nnrt;

// Exit codes.
constexpr int kWorked = 0, kFailed = 1, kNonsense = 2;

int perform(const tool::Action& action) {
  try {
    const Status status = action();
    if (status.ok()) return kWorked;
    tool::tell(status.error().message);
    return status.error().code == Code::invalid_parameter ? kNonsense : kFailed;
  } catch (const std::bad_alloc&) {
    tool::tell("Out of memory.");
  } catch (const std::filesystem::filesystem_error& error) {
    tool::tell("File (" + error.path1().string() + ") cannot be used: " + error.code().message() + ".");
  } catch (const std::exception&) {
    tool::tell("The command failed unexpectedly; please report this.");
  }
  return kFailed;
}

int parse_and_perform(int argc, char** argv) {
  tool::Action action;
  const auto app = tool::make_app(action);
  try {
    app->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    tool::print_with_headings(std::cout, app->help());
    return kWorked;
  } catch (const CLI::Success& success) {
    return app->exit(success);
  } catch (const CLI::ParseError& error) {
    tool::tell(tool::sentence_of(error, *app));
    return kNonsense;
  }
  return perform(action);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  tool::tell_errors_once();
  tool::Output output(std::cout, STDOUT_FILENO);
  const int code = parse_and_perform(argc, argv);
  const Status written = output.finish();
  if (written.ok()) return tool::interrupted() ? tool::kInterrupted : code;
  tool::tell(written.error().message);
  return code == kWorked ? kFailed : code;
}
