// nnrt-device-host: runs devices for other processes, so that a crashing driver only takes down this process.
#include "backends/device_host.h"

#include "backends/devices.h"
#include "backends/host/server/host_listener.h"
#include "backends/host/server/host_server.h"
#include "backends/plugin/plugin_loader.h"
#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/platform/descriptor.h"
#include "core/platform/log.h"
#include "core/platform/settings.h"
#include "core/platform/settings_check.h"

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

  --devices LIST    cpu, gpu or none, as NNRT_DEVICES, which counts where it is not given
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

// Each client memory is a descriptor.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Would overwrite the client's trace.
void keep_off_traces() {
  const char* path = setting_text(Setting::trace);
  if (path != nullptr && std::string_view(path).find("%p") == std::string_view::npos)
    unsetenv(row(Setting::trace).name);
}

// A process forked by the client may hold its end of the socket; exit with the client regardless.
void end_with(host::Fd parent) {
  if (!parent) return;
  pollfd watched{parent.get(), POLLIN, 0};
  while (poll(&watched, 1, -1) < 0) {
  }
  _exit(0);
}

[[noreturn]] void serve_one(int fd, const host::Devices& devices) {
  // Do it now, while the client waits for the answer; later the parent may be another process. Without a
  // thread, the process still exits with its socket.
  host::Fd parent(int(syscall(SYS_pidfd_open, getppid(), 0)));
  best_effort([&] { std::thread(end_with, std::move(parent)).detach(); });
  host::serve(host::Fd(fd), devices, [] { _exit(0); });  // nobody needs the work in progress
  std::abort();
}

// Rejects a client if there is no thread or memory for it.
Status serve_in_background(host::Socket client, const host::Devices& devices) {
  std::thread([client = std::move(client), &devices]() mutable {
    const Status served = catching([&]() -> Status {
      host::serve(client.release(), devices);
      return {};
    });
    if (!served.ok()) best_effort([&] { log(LogLevel::warning, served.error().message); });
  }).detach();
  return {};
}

// Logs a problem with accepting clients, once for as long as it lasts.
class Complaint {
 public:
  void make(const Error& error) {
    if (!is_made_) best_effort([&] { log(LogLevel::warning, error.message); });
    is_made_ = true;
  }
  void settle() { is_made_ = false; }

 private:
  bool is_made_ = false;
};

int serve_all(const std::string& path, const host::Devices& devices, int signals) {
  auto listening = host::listen_at(path);
  if (!listening.ok()) {
    std::cerr << "nnrt-device-host: " << listening.error().message << std::endl;
    return 1;
  }
  log(LogLevel::info, cat("Clients are served at ", path, "."));
  bool has_room = true;
  Complaint about_room, about_clients;
  while (true) {
    // Clients without a descriptor wait in the queue.
    constexpr int kPauseMilliseconds = 100;
    pollfd watched[] = {{signals, POLLIN, 0}, {listening.value().fd(), POLLIN, 0}};
    const int ready = poll(watched, has_room ? 2 : 1, has_room ? -1 : kPauseMilliseconds);
    has_room = true;
    if (ready < 0) continue;
    if (watched[0].revents != 0) break;
    if (watched[1].revents == 0) continue;
    auto client = catching([&] { return host::accept_client(listening.value()); });
    if (!client.ok()) {
      has_room = client.error().code == Code::forbidden;
      about_room.make(client.error());
      continue;
    }
    about_room.settle();
    const Status started = catching([&] { return serve_in_background(std::move(client).value(), devices); });
    started.ok() ? about_clients.settle() : about_clients.make(started.error());
  }
  unlink(path.c_str());
  _exit(0);  // aborts the runs of current clients
}

}  // namespace

int OH_NNRt_RunDeviceHost(int argc, char** argv) {
  const std::optional<Options> options = parse(argc, argv);
  if (!options || options->help) {
    (options ? std::cout : std::cerr) << kUsage;
    return options ? 0 : 2;
  }
  // What the client left open.
  if (options->fd >= 0) syscall(SYS_close_range, unsigned(options->fd) + 1, ~0U, 0);
  open_standard_streams();
  signal(SIGPIPE, SIG_IGN);
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  const bool is_shared = options->fd < 0;
  if (is_shared) pthread_sigmask(SIG_BLOCK, &ending, nullptr);  // before any other thread exists
  allow_many_files();
  keep_off_traces();
  if (is_shared) check_environment();  // else the client's process warns
  const char* const list = options->devices ? options->devices->c_str() : setting_text(Setting::devices);
  BuiltinSelection selection = builtin_selection(list);
  selection.chooser = false;  // this process computes nothing itself
  auto& devices = *std::make_unique<host::Devices>(builtin_devices(selection)).release();
  std::ranges::move(plugin::load_devices(options->plugins), std::back_inserter(devices));
  if (!is_shared) serve_one(options->fd, devices);
  return serve_all(options->socket, devices, signalfd(-1, &ending, SFD_CLOEXEC));
}
