#include "backends/host/client/host_process.h"

#include "core/base/text.h"
#include "core/platform/descriptor.h"
#include "core/platform/log.h"
#include "core/platform/settings.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

namespace nnrt::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "nnrt-device-host";
constexpr int kHostFd = 3;

// The directory of the library or program that contains this code.
fs::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&host_program), &info) == 0 || info.dli_fname == nullptr)
    return {};
  std::error_code failure;
  const fs::path path = fs::canonical(info.dli_fname, failure);
  return failure ? fs::path() : path.parent_path();
}

struct SpawnSettings {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  explicit SpawnSettings(int fd) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, fd, kHostFd);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
};

}  // namespace

std::string host_program() {
  if (const char* path = setting_text(Setting::device_host)) return path;
  const fs::path folder = own_folder();
  if (folder.empty()) return {};
  for (const char* way : {".", "../bin", NNRT_BIN_FROM_LIB}) {
    std::error_code failure;
    const fs::path path = fs::canonical(folder / way / kProgram, failure);
    if (!failure && access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

HostProcess::HostProcess(pid_t pid)
    : pid_(pid), pidfd_(above_standard_streams(int(syscall(SYS_pidfd_open, pid, 0)))) {}

HostProcess::HostProcess(HostProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)) {}

Result<HostProcess::Connection> HostProcess::start(const std::string& program,
                                                   const std::vector<std::string>& arguments) {
  if (program.empty()) return Error{Code::unavailable_device, cat("There is no program ", kProgram, ".")};
  NNRT_ASSIGN(auto sockets, Socket::pair());
  // Duplicate the child's end to a number above kHostFd. If the parent's end were kHostFd, dup2 would only
  // close the child's copy of it; but if the child's end were kHostFd, dup2 would do nothing and leave it
  // CLOEXEC.
  Fd theirs(duplicate(sockets.second.fd(), kHostFd + 1));
  if (!theirs) return Error{Code::memory, "No file descriptors left."};
  std::vector<std::string> words{program, "--fd", cat(kHostFd)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const SpawnSettings settings(theirs.get());
  pid_t pid = -1;
  const int failure =
      posix_spawn(&pid, program.c_str(), &settings.files, &settings.attributes, argv.data(), environ);
  if (failure != 0)
    return Error{Code::unavailable_device,
                 cat("Program ", program, " cannot be started (", std::strerror(failure), ").")};
  return Connection{HostProcess(pid), std::move(sockets.first)};
}

void HostProcess::terminate() {
  if (pid_ < 0) return;
  const pid_t pid = std::exchange(pid_, -1);
  // 0: the child is running or a zombie, so its pid is still valid. If somebody else has reaped it, it is
  // not.
  if (waitpid(pid, nullptr, WNOHANG) != 0) return;
  kill(pid, SIGKILL);
  for (int i = 0; i < 1000 && waitpid(pid, nullptr, WNOHANG) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace nnrt::host
