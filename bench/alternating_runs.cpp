// Runs a model file on command, so that engines can be measured in turns: turns FILE cpu|gpu [--fp16]. Prints
// "ready" and the build time in milliseconds after building and one warm-up run. Then, for each line on
// standard input: a number N does N runs and prints the median in milliseconds; "times N" prints the time of
// each run; "device" prints the GPU time of a run (kernels and transfers) in milliseconds. --fp16 permits
// fp16 computation.
#include "device_time.h"
#include "network_runner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;
using Clock = std::chrono::steady_clock;

double milliseconds_of(bench::NetworkRunner& runner) {
  const auto start = Clock::now();
  runner.run();
  return Milliseconds(Clock::now() - start).count();
}

std::vector<double> run_many(bench::NetworkRunner& runner, const std::string& count) {
  std::vector<double> times;
  for (int i = 0; i < std::max(1, std::atoi(count.c_str())); ++i) times.push_back(milliseconds_of(runner));
  return times;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void answer_device_time(bench::NetworkRunner& runner) {
  constexpr int kRuns = 5;
  const auto time = bench::device_time(runner, kRuns);
  if (time)
    std::cout << time->kernels_us / 1e3 << ' ' << time->transfers_us / 1e3 << std::endl;
  else
    std::cout << "none" << std::endl;
}

void serve(const std::string& file, const std::string& kind, bool float16) {
  const size_t device = bench::find_device(kind);
  const auto start = Clock::now();
  bench::NetworkRunner runner(bench::ImportedModel(file).network(), device, {.float16 = float16});
  const double build = Milliseconds(Clock::now() - start).count();
  runner.fill_inputs(1);
  for (int i = 0; i < 2; ++i) runner.run();
  std::cout << "ready " << build << std::endl;
  for (std::string word; std::cin >> word;) {
    if (word == "device") {
      answer_device_time(runner);
    } else if (std::string count; word == "times" && std::cin >> count) {
      for (const double time : run_many(runner, count)) std::cout << time << ' ';
      std::cout << std::endl;
    } else {
      std::cout << median(run_many(runner, word)) << std::endl;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool float16 = words.size() == 3 && words[2] == "--fp16";
  if (words.size() < 2 || words.size() > (float16 ? 3 : 2)) {
    std::fprintf(stderr, "usage: turns FILE cpu|gpu [--fp16]\n");
    return 2;
  }
  try {
    serve(words[0], words[1], float16);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
