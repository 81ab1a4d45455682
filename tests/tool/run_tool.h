// Runs of the built nnrt as a user makes them.
#pragma once

#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <string>

namespace tool_tests {

struct Outcome {
  int code = -1;  // exit code; -1: ended by a signal
  std::string out, err;
};

// `arguments` and `environment` ("NAME=value") as a shell takes them.
Outcome run_nnrt(const std::string& arguments, const std::string& environment = "");
// The same with standard output in a file; `out` is empty then.
Outcome run_nnrt_into(const std::string& file, const std::string& arguments,
                      const std::string& environment = "");

// "net_lenet.jsonl" among the golden cases.
std::string golden(const std::string& name);

// A folder for the files of the running test; removed at the end.
using Folder = nnrt::test::TemporaryFolder;

std::string read(const std::string& path);
void write(const std::string& path, const std::string& bytes);

// A BMP of 24 bits: `color` is 0xRRGGBB.
std::string bitmap(int width, int height, unsigned color);
// The same with a grey of its own for each pixel, rows from the top.
std::string grey_bitmap(int width, int height, const std::string& pixels);

}  // namespace tool_tests
