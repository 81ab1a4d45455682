#include "digits_placement.h"

#include <array>
#include <sstream>
#include <stdexcept>

namespace {

constexpr size_t kMaxDevice = 40;

// The text of a column, without its padding.
std::string cell(const std::string& line, size_t begin, size_t end) {
  if (begin >= line.size()) return "";
  const std::string text = line.substr(begin, end - begin);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// A device is named MODEL_VENDOR, and the model says enough.
std::string shortened(const std::string& device) {
  const std::string model = device.substr(0, device.rfind('_'));
  return model.size() <= kMaxDevice ? model : model.substr(0, kMaxDevice - 3) + "...";
}

void print_row(const std::string& operation, const std::string& device, const std::string& kernel) {
  std::printf("%-26s  %-*s  %s\n", operation.c_str(), static_cast<int>(kMaxDevice), device.c_str(),
              kernel.c_str());
}

// The report's columns are aligned with its first line.
void print_table(const std::string& report) {
  std::istringstream lines(report);
  std::string line;
  std::getline(lines, line);
  std::array<size_t, 5> begins{};
  size_t i = 0;
  for (const char* name : {"operator", "device", "reason", "implementation", "not taken"})
    begins[i++] = line.find(name);
  print_row("operation", "device", "kernel");
  const std::string prefix = "OH_NN_OPS_";
  while (std::getline(lines, line)) {
    const std::string operation = cell(line, begins[0], begins[1]);
    if (operation.compare(0, prefix.size(), prefix) != 0) continue;  // a reason, or a pass
    print_row(operation.substr(prefix.size()), shortened(cell(line, begins[1], begins[2])),
              cell(line, begins[3], begins[4]));
  }
}

}  // namespace

Placement::Placement() : file_(std::tmpfile()) {
  if (file_ == nullptr) throw std::runtime_error("cannot create a temporary file");
}

std::string Placement::path() const { return "/proc/self/fd/" + std::to_string(fileno(file_.get())); }

void Placement::print(bool verbose) const {
  std::string report;
  std::array<char, 4096> part{};
  std::rewind(file_.get());
  for (size_t size; (size = std::fread(part.data(), 1, part.size(), file_.get())) > 0;)
    report.append(part.data(), size);
  if (verbose) {
    std::fputs(report.c_str(), stdout);
  } else {
    print_table(report);
  }
}
