// File descriptors that are not those of the standard streams. A process may have closed descriptors 0 to 2,
// and others still write to them: a log line would end up in the memory of a tensor.
#pragma once

#include <array>

namespace nnrt {

inline constexpr int kFirstDescriptor = 3;

// Returns a descriptor of the same file from kFirstDescriptor on, which replaces `fd` where that is below it.
// Negative, with errno, where `fd` is negative or the process has no more descriptors.
int above_standard_streams(int fd);

// A duplicate from `first` on that is closed on exec. Negative, with errno, where there is none.
int duplicate(int fd, int first = kFirstDescriptor);

// Holds those of the descriptors 0 to 2 that are closed, so that nothing else gets their numbers meanwhile,
// such as files that a driver opens.
class StandardStreams {
 public:
  StandardStreams();
  ~StandardStreams();
  // Holds them as long as the process lives.
  void keep() { is_held_ = {}; }
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

 private:
  std::array<bool, kFirstDescriptor> is_held_{};
};

// For a program at its start: descriptors 0 to 2 that are closed become ones for which every read or write is
// an error.
void open_standard_streams();

}  // namespace nnrt
