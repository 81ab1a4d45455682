#include "tests/tool/run_tool.h"

#include "tests/support/read_file.h"

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace tool_tests {

Outcome run_nnrt(const std::string& arguments, const std::string& environment) {
  const Folder folder;
  const std::string out = folder.file("out");
  Outcome outcome = run_nnrt_into(out, arguments, environment);
  outcome.out = read(out);
  return outcome;
}

Outcome run_nnrt_into(const std::string& file, const std::string& arguments, const std::string& environment) {
  const Folder folder;
  const std::string err = folder.file("err");
  const std::string command = environment + " " NNRT_TOOL " " + arguments + " >" + file + " 2>" + err;
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return {};
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, "", read(err), usage.ru_maxrss};
}

testing::AssertionResult fails(const Outcome& outcome, int code, std::string_view part) {
  if (outcome.code == code) return has(outcome.err, part);
  return testing::AssertionFailure() << "exit code " << outcome.code << ": " << outcome.out << outcome.err;
}

testing::AssertionResult prints(const Outcome& outcome, std::string_view part) {
  if (outcome.code == 0) return has(outcome.out, part);
  return testing::AssertionFailure() << "exit code " << outcome.code << ": " << outcome.err;
}

nlohmann::json json_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

std::string golden(const std::string& name) { return std::string(NNRT_GOLDEN_CASES) + "/" + name; }

std::string read(const std::string& path) { return nnrt::test::read_file(path); }

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

namespace {

template <typename ColorAt>
std::string make_bitmap(int width, int height, const ColorAt& color_at) {
  const int row = (width * 3 + 3) / 4 * 4;
  std::string bytes = "BM";
  const auto add = [&](unsigned value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  };
  add(unsigned(54 + row * height), 4);
  add(0, 4);
  add(54, 4);
  add(40, 4);
  add(unsigned(width), 4);
  add(unsigned(height), 4);
  add(1, 2);
  add(24, 2);
  for (int i = 0; i < 6; ++i) add(0, 4);
  for (int y = height; y-- > 0;) {
    for (int x = 0; x < width; ++x) add(color_at(x, y), 3);
    bytes.append(size_t(row - width * 3), '\0');
  }
  return bytes;
}

}  // namespace

std::string bitmap(int width, int height, unsigned color) {
  return make_bitmap(width, height, [&](int, int) { return color; });
}

std::string grey_bitmap(int width, int height, const std::string& pixels) {
  return make_bitmap(width, height, [&](int x, int y) {
    return static_cast<unsigned char>(pixels.at(size_t(y * width + x))) * 0x10101u;
  });
}

}  // namespace tool_tests
