// Writes the networks as ONNX files, for other engines.
#include "networks/networks.h"
#include "networks/onnx_writer.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

namespace {

void write(const bench::Network& network, const std::filesystem::path& directory) {
  std::filesystem::path file = directory / network.name;
  file += ".onnx";
  std::ofstream stream(file, std::ios::binary);
  const std::string bytes = bench::to_onnx(network.describe({}));
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) throw std::runtime_error("Cannot write " + file.string());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes the networks of the benchmarks as ONNX files.");
  std::string directory;
  std::vector<std::string> names;
  for (const bench::Network& network : bench::networks()) names.emplace_back(network.name);
  app.add_option("directory", directory, "Where to, made where it is missing")->required();
  app.add_option("network", names, "Which ones: all unless told")->check(CLI::IsMember(names));
  CLI11_PARSE(app, argc, argv);
  try {
    std::filesystem::create_directories(directory);
    for (const std::string& name : names) write(bench::network(name), directory);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
