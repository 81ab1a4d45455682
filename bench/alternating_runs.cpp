// Runs a network on command, so that engines can take turns: turns NETWORK cpu|gpu. "ready" on standard
// output once it is built and has run; then for each line with a number on standard input, so many runs,
// answered by the median in milliseconds.
#include "network_runner.h"
#include "networks/networks.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

namespace {

double milliseconds_of(bench::NetworkRunner& runner) {
  const auto start = std::chrono::steady_clock::now();
  runner.run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void serve(const std::string& network, const std::string& kind) {
  const size_t device = bench::find_device(kind);
  bench::NetworkRunner runner(bench::network(network).describe({}), device);
  runner.fill_inputs(1);
  for (int i = 0; i < 2; ++i) runner.run();
  std::cout << "ready" << std::endl;
  for (int runs = 0; std::cin >> runs;) {
    std::vector<double> times;
    for (int i = 0; i < std::max(1, runs); ++i) times.push_back(milliseconds_of(runner));
    std::cout << median(std::move(times)) << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: turns NETWORK cpu|gpu\n");
    return 2;
  }
  try {
    serve(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
