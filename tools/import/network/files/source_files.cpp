#include "tools/import/network/files/source_files.h"

#include "core/base/bytes.h"
#include "core/base/checksum.h"
#include "core/base/text.h"
#include "core/platform/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>

namespace nnrt::import {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
// Time stamps advance with the kernel's ticks of up to 10 ms; some file systems only store seconds, or two.
constexpr int64_t kFineNs = kSecond / 10, kCoarseNs = 2 * kSecond + kFineNs;
constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr size_t kMinFileBytes = 56;

int64_t nanoseconds(const timespec& time) { return int64_t{time.tv_sec} * kSecond + time.tv_nsec; }

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now);
}

std::filesystem::path beside(const std::filesystem::path& model, const std::string& name) {
  return name.empty() ? model : model.parent_path() / name;
}

// Of a file, block by block.
std::optional<uint64_t> contents_checksum(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  Bytes block(kBlockBytes);
  uint64_t sum = 0;
  do {
    file.read(reinterpret_cast<char*>(block.data()), kBlockBytes);
    const std::array pieces{ByteView(std::as_bytes(std::span(&sum, 1))),
                            ByteView(block).first(static_cast<size_t>(file.gcount()))};
    sum = checksum(pieces);
  } while (file);
  return file.eof() ? std::optional(sum) : std::nullopt;
}

}  // namespace

std::optional<FileState> file_state(const std::filesystem::path& path) {
  // Network file systems only ask the server again when a file is opened. Opening a pipe must not block.
  const int fd = above_standard_streams(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd < 0) return {};
  struct stat status {};
  const bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  close(fd);
  if (!is_file) return {};
  return FileState{status.st_dev, status.st_ino, static_cast<uint64_t>(status.st_size),
                   nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

bool is_settled(const FileState& state, int64_t now_ns) {
  const bool is_coarse = state.modified_ns % kSecond == 0 && state.changed_ns % kSecond == 0;
  return std::max(state.modified_ns, state.changed_ns) <= now_ns - (is_coarse ? kCoarseNs : kFineNs);
}

SourceFiles::SourceFiles(std::filesystem::path model) : model_(std::move(model)) { add(""); }

std::filesystem::path SourceFiles::path_of(const std::string& name) const { return beside(model_, name); }

void SourceFiles::add(const std::string& name) {
  if (std::ranges::find(files_, name, &File::name) != files_.end()) return;
  const int64_t now = now_ns();
  const std::optional<FileState> state = file_state(path_of(name));
  files_.push_back({name, state, state && is_settled(*state, now)});
}

bool SourceFiles::is_unchanged() const {
  return std::ranges::all_of(files_, [&](const File& file) {
    return file.state && file.settled && file_state(path_of(file.name)) == file.state;
  });
}

uint64_t SourceFiles::bytes() const {
  uint64_t sum = 0;
  for (const File& file : files_) sum += file.state ? file.state->size : 0;
  return sum;
}

Status SourceFiles::write(ByteWriter& writer, bool with_contents) const {
  writer.put(uint64_t{files_.size()});
  for (const File& file : files_) {
    writer.text(file.name);
    writer.put(file.state.value_or(FileState{}));
    const auto sum = with_contents ? contents_checksum(path_of(file.name)) : uint64_t{0};
    if (!sum)
      return Error{Code::invalid_path, cat("The file (", path_of(file.name).string(), ") cannot be read.")};
    writer.put(*sum);
  }
  return {};
}

std::optional<uint64_t> SourceFiles::match(ByteReader& reader, const std::filesystem::path& model,
                                           bool by_contents) {
  bool is_same = true;
  uint64_t bytes = 0;
  for (size_t left = reader.count(kMinFileBytes); left > 0 && !reader.bad(); --left) {
    const std::string name(reader.text());
    const auto state = reader.get<FileState>();
    const auto sum = reader.get<uint64_t>();
    if (!is_same || reader.bad()) continue;
    const auto now = file_state(beside(model, name));
    is_same = by_contents ? now && now->size == state.size && contents_checksum(beside(model, name)) == sum
                          : now == state;
    bytes += state.size;
  }
  return is_same && !reader.bad() ? std::optional(bytes) : std::nullopt;
}

}  // namespace nnrt::import
