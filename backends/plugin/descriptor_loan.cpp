#include "backends/plugin/descriptor_loan.h"

#include "core/base/text.h"
#include "core/platform/descriptor.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace nnrt::plugin {
namespace {

// Identifies the file behind a descriptor.
struct File {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const File&) const = default;
};

std::optional<File> file_of(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return {};
  return File{status.st_dev, status.st_ino};
}

// Descriptors currently on loan, by number. A driver may close a number at any time, even twice, so none is
// reused until its call returns.
struct Lendings {
  std::mutex mutex;  // guards the members below
  std::map<int, File> files;
};

// Never destroyed, because an abandoned run may finish during process exit.
Lendings& lendings() {
  static Lendings& all = *std::make_unique<Lendings>().release();
  return all;
}

// The first number for loans. open() does not return numbers this high while lower ones are free, so a driver
// that closes one of ours twice does not hit a file that was opened in between. Drivers that use select()
// need numbers below 1024.
int first_number() {
  constexpr rlim_t kMin = 1024;
  rlimit limit{};
  const bool is_known = getrlimit(RLIMIT_NOFILE, &limit) == 0;
  return int(std::min(is_known ? limit.rlim_cur : kMin, kMin) / 4 * 3);
}

// Duplicates to a number of at least `first`; negative on failure.
int lend_from(Lendings& all, int fd, int first) {
  // Query `fd`, not the duplicate: a driver that closes its numbers twice may close the duplicate before it
  // is recorded.
  const auto file = file_of(fd);
  if (!file) return -1;
  while (true) {
    const int number = duplicate(fd, first);
    if (number < 0) return number;
    try {
      // The number is on loan already, so its driver has closed it. Keep the new duplicate open under that
      // loan, in case the driver closes it again, and try another number.
      const bool is_free = all.files.insert_or_assign(number, *file).second;
      if (is_free) return number;
    } catch (...) {
      close(number);
      throw;
    }
  }
}

}  // namespace

Result<int> DescriptorLoan::lend(int fd) {
  loans_.reserve(loans_.size() + 1);  // before there is a descriptor to leak
  Lendings& all = lendings();
  const std::lock_guard lock(all.mutex);
  int number = lend_from(all, fd, first_number());
  if (number < 0) {
    const auto last =
        std::find_if(loans_.rbegin(), loans_.rend(), [&](const Loan& one) { return one.of == fd; });
    if (last != loans_.rend()) return last->number;
    number = lend_from(all, fd, kFirstDescriptor);
  }
  if (number < 0)
    return Error{Code::memory, cat("No file descriptor left for the plugin (", std::strerror(errno), ").")};
  loans_.push_back({number, fd});
  return number;
}

DescriptorLoan::~DescriptorLoan() {
  Lendings& all = lendings();
  const std::lock_guard lock(all.mutex);
  for (const Loan& lent : loans_) {
    const auto entry = all.files.find(lent.number);
    // If the number is no longer our file, it was closed and reused by somebody else.
    if (file_of(lent.number) == entry->second) close(lent.number);
    all.files.erase(entry);
  }
}

}  // namespace nnrt::plugin
