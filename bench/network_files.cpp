// Writes the networks as ONNX files, for other engines: network_files DIRECTORY [NETWORK...]
#include "networks/networks.h"
#include "networks/onnx_writer.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>

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
  if (argc < 2) {
    std::fprintf(stderr, "usage: network_files DIRECTORY [NETWORK...]\n");
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[1]);
    if (argc == 2) {
      for (const bench::Network& network : bench::networks()) write(network, argv[1]);
    }
    for (int i = 2; i < argc; ++i) write(bench::network(argv[i]), argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
