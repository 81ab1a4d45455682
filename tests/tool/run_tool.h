// Runs the built nnrt as a user would.
#pragma once

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace tool_tests {

struct Outcome {
  int code = -1;  // exit code; -1: ended by a signal
  std::string out, err;
  long peak_kib = 0;  // memory of the largest process
};

// `arguments` and `environment` ("NAME=value") use shell syntax.
Outcome run_nnrt(const std::string& arguments, const std::string& environment = "");
// Redirects standard output to a file; `out` is empty.
Outcome run_nnrt_into(const std::string& file, const std::string& arguments,
                      const std::string& environment = "");

// Whether the text has this part. An expectation that fails shows both.
inline testing::AssertionResult has(std::string_view text, std::string_view part) {
  const bool is_there = text.find(part) != std::string_view::npos;
  return testing::AssertionResult(is_there)
         << '"' << part << (is_there ? "\" is in: " : "\" is not in: ") << text;
}

// Whether it exits with 0 and prints this.
testing::AssertionResult prints(const Outcome& outcome, std::string_view part);
// Whether it exits with this code and an error with this text.
testing::AssertionResult fails(const Outcome& outcome, int code, std::string_view part);

// What it prints if it succeeds, as it must.
nlohmann::json json_of(const Outcome& outcome);

// The path of a golden case file, such as "net_lenet.jsonl".
std::string golden(const std::string& name);

// A temporary folder of the running test, removed at its end.
using Folder = nnrt::test::TemporaryFolder;

std::string read(const std::string& path);
void write(const std::string& path, const std::string& bytes);

// A 24-bit BMP; `color` is 0xRRGGBB.
std::string bitmap(int width, int height, unsigned color);
// A 24-bit BMP with one grey value per pixel, top row first.
std::string grey_bitmap(int width, int height, const std::string& pixels);

}  // namespace tool_tests
