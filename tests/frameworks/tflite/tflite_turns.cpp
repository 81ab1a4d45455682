// tflite_turns LIBRARY DELEGATE THREADS SECONDS [--NAME VALUE]... MODEL.tflite...: times models in the
// interpreter with and without the delegate, in turns, and prints the medians as rows of a table.
#include "tests/frameworks/tflite/model_case.h"
#include "tests/frameworks/tflite/tflite_runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>

namespace {

using namespace nnrt::test;
using Clock = std::chrono::steady_clock;

double milliseconds_of(Session& session) {
  const auto start = Clock::now();
  session.run();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<long>(values.size() / 2));
  return values[values.size() / 2];
}

void measure(const std::string& model, Session& without, Session& with, double seconds) {
  const ModelCase inputs = case_of(model);
  std::vector<double> times[2];
  for (Session* session : {&without, &with}) {
    session->allocate();
    session->fill(inputs.inputs, 1);
    for (int i = 0; i < 3; ++i) session->run();
  }
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    times[0].push_back(milliseconds_of(without));
    times[1].push_back(milliseconds_of(with));
  } while (Clock::now() < end);
  const double theirs = median(times[0]), ours = median(times[1]);
  std::printf("| %s | %d of %d in %d | %.2f | %.2f | %.2f |\n",
              std::filesystem::path(model).filename().c_str(), with.taken().nodes, with.taken().all_nodes,
              with.taken().partitions, theirs, ours, ours / theirs);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::puts("usage: tflite_turns LIBRARY DELEGATE THREADS SECONDS [--NAME VALUE]... MODEL.tflite...");
    return 2;
  }
  try {
    const TfliteApi api = load_tflite(argv[1]);
    const DelegateLibrary library(argv[2]);
    const int threads = std::stoi(argv[3]);
    DelegateSettings settings{{"threads", argv[3]}};
    for (int i = 5; i < argc; ++i) {
      const std::string argument = argv[i];
      if (argument.starts_with("--") && i + 1 < argc) {
        settings.emplace_back(argument.substr(2), argv[++i]);
        continue;
      }
      Session without(api, argument, nullptr, {.threads = threads});
      Session with(api, argument, library.create(settings), {.threads = threads});
      measure(argument, without, with, std::stod(argv[4]));
    }
    return 0;
  } catch (const std::exception& exception) {
    std::puts(exception.what());
    return 1;
  }
}
