// nnrt-device-host: computes on devices for other processes, so that what a driver does to its process is
// done to this one.
#include "backends/host/listener.h"
#include "backends/host/server.h"
#include "backends/plugin/loader.h"
#include "core/device_registry.h"
#include "core/log.h"
#include "core/text.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

namespace {

using namespace nnrt;

constexpr std::string_view kUsage = R"(nnrt-device-host: hosts devices for other processes.

  nnrt-device-host --socket PATH [...]   for all clients of this user, until SIGTERM or SIGINT
  nnrt-device-host --fd NUMBER [...]     for the client at the other end of a socket, as long as it lives

  --devices LIST    cpu, vulkan or none, as NNRT_DEVICES, which counts where it is not given
  --plugins PATHS   libraries with further devices, with colons between them, as NNRT_PLUGINS, which does not count

A client asks for a host by NNRT_HOSTED.
)";

struct Options {
  int fd = -1;
  std::string socket;
  std::optional<std::string> devices;
  std::string plugins;
  bool help = false;
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") {
      options.help = true;
      return options;
    }
    if (++i == argc) return {};
    const std::string_view value = argv[i];
    if (word == "--socket") {
      options.socket = value;
    } else if (word == "--devices") {
      options.devices = value;
    } else if (word == "--plugins") {
      options.plugins = value;
    } else if (word == "--fd") {
      const auto [end, failure] = std::from_chars(value.begin(), value.end(), options.fd);
      if (failure != std::errc() || end != value.end() || options.fd < 0) return {};
    } else {
      return {};
    }
  }
  if ((options.fd >= 0) == !options.socket.empty()) return {};
  return options;
}

// Each memory of a client is a descriptor.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// A trace that is the client's would be overwritten.
void keep_off_traces() {
  const char* path = std::getenv("NNRT_TRACE");
  if (path != nullptr && std::string_view(path).find("%p") == std::string_view::npos) unsetenv("NNRT_TRACE");
}

// A process that the client forked may hold its end of the socket: that is no reason to stay.
void end_with_parent() {
  const host::Fd parent(int(syscall(SYS_pidfd_open, getppid(), 0)));
  if (!parent) return;
  pollfd watched{parent.get(), POLLIN, 0};
  while (poll(&watched, 1, -1) < 0) {
  }
  _exit(0);
}

[[noreturn]] void serve_one(int fd, const host::Devices& devices) {
  std::thread(end_with_parent).detach();
  host::serve(host::Fd(fd), devices, [] { _exit(0); });  // what is still computed is for nobody
  std::abort();
}

int serve_all(const std::string& path, const host::Devices& devices, int signals) {
  auto listening = host::listen_at(path);
  if (!listening.ok()) {
    std::cerr << "nnrt-device-host: " << listening.error().message << std::endl;
    return 1;
  }
  log(LogLevel::info, cat("Clients are served at ", path, "."));
  while (true) {
    pollfd watched[] = {{listening.value().fd(), POLLIN, 0}, {signals, POLLIN, 0}};
    if (poll(watched, 2, -1) < 0) continue;
    if (watched[1].revents != 0) break;
    auto client = host::accept_client(listening.value());
    if (!client.ok()) {
      log(LogLevel::warning, client.error().message);
      continue;
    }
    std::thread([client = std::move(client).value(), &devices]() mutable {
      host::serve(client.release(), devices);
    }).detach();
  }
  unlink(path.c_str());
  _exit(0);  // runs of clients that are there now end with it
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> options = parse(argc, argv);
  if (!options || options->help) {
    (options ? std::cout : std::cerr) << kUsage;
    return options ? 0 : 2;
  }
  signal(SIGPIPE, SIG_IGN);
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  const bool is_shared = options->fd < 0;
  if (is_shared) pthread_sigmask(SIG_BLOCK, &ending, nullptr);  // before there is another thread
  allow_many_files();
  keep_off_traces();
  const char* const list = options->devices ? options->devices->c_str() : std::getenv("NNRT_DEVICES");
  BuiltinSelection selection = builtin_selection(list);
  selection.chooser = false;  // which runs nothing itself
  auto& devices = *std::make_unique<host::Devices>(builtin_devices(selection)).release();
  std::ranges::move(plugin::load_devices(options->plugins), std::back_inserter(devices));
  if (!is_shared) serve_one(options->fd, devices);
  return serve_all(options->socket, devices, signalfd(-1, &ending, SFD_CLOEXEC));
}
