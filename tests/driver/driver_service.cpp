#include "tests/driver/driver_service.h"

#include "tests/support/process_resources.h"

#include <neural_network_runtime/hdi/v2_0/innrt_device_vdi.h>

#include <dlfcn.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

namespace nnrt::test {
namespace {

struct Counters {
  std::atomic<uint64_t> models{0}, runs_begun{0}, runs_ended{0};
};

uint64_t mapped_shared_bytes() {
  uint64_t bytes = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/memfd:nnrt") == std::string::npos) continue;
    std::istringstream range(line);
    uint64_t begin = 0, end = 0;
    char dash = 0;
    range >> std::hex >> begin >> dash >> end;
    bytes += end - begin;
  }
  return bytes;
}

// Memory after the clients, whose sessions end meanwhile: one without models holds none.
Counts counts_of(const std::deque<Counters>& clients) {
  Counts counts;
  for (const Counters& client : clients)
    counts.clients.push_back({client.models, client.runs_begun, client.runs_ended});
  const api_tests::Held held = api_tests::held();
  counts.files = held.files;
  counts.shared_bytes = mapped_shared_bytes();
  counts.resident_bytes = held.resident;
  return counts;
}

// What one client has.
class Session {
 public:
  Session(hdi::INnrtDeviceVdi& device, host::Socket socket, const std::deque<Counters>& all, Counters& own)
      : device_(device), socket_(std::move(socket)), all_(all), own_(own) {}
  ~Session() {
    prepared_.clear();
    for (const auto& [inode, buffer] : buffers_) static_cast<void>(device_.ReleaseBuffer(buffer));
    own_.models = 0;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void serve() {
    while (true) {
      auto request = ParcelReader::receive(socket_);
      if (!request.ok()) return;
      ParcelWriter response;
      handle(request.value(), response);
      if (!response.send(socket_).ok()) return;
    }
  }

 private:
  void handle(ParcelReader& request, ParcelWriter& response) {
    switch (request.take<Method>()) {
      case Method::allocate: {
        hdi::SharedBuffer buffer;
        const int32_t code = device_.AllocateBuffer(request.take<uint32_t>(), buffer);
        if (code == 0) buffers_[inode_of(buffer)] = buffer;
        return response(code, buffer);
      }
      case Method::release: {
        const auto buffer = request.take<hdi::SharedBuffer>();
        buffers_.erase(inode_of(buffer));
        return response(device_.ReleaseBuffer(buffer));
      }
      case Method::prepare: {
        std::shared_ptr<hdi::IPreparedModel> made;
        const int32_t code = device_.PrepareModel(request.take<hdi::Model>(), {}, made);
        if (made != nullptr) {
          prepared_[++last_] = std::move(made);
          ++own_.models;
        }
        return response(code, last_);
      }
      case Method::forget:
        own_.models -= prepared_.erase(request.take<uint32_t>());
        return response(int32_t{0});
      case Method::run: {
        const auto model = prepared_.at(request.take<uint32_t>());
        const auto inputs = request.take<std::vector<hdi::IOTensor>>();
        const auto outputs = request.take<std::vector<hdi::IOTensor>>();
        std::vector<std::vector<int32_t>> dims;
        ++own_.runs_begun;
        const int32_t code = model->Run(inputs, outputs, dims);
        ++own_.runs_ended;
        return response(code, dims);
      }
      case Method::count: return response(int32_t{0}, counts_of(all_));
    }
  }
  static ino_t inode_of(const hdi::SharedBuffer& buffer) {
    struct stat status {};
    return fstat(buffer.fd, &status) == 0 ? status.st_ino : 0;
  }

  hdi::INnrtDeviceVdi& device_;
  const host::Socket socket_;
  const std::deque<Counters>& all_;
  Counters& own_;
  std::map<ino_t, hdi::SharedBuffer> buffers_;
  std::map<uint32_t, std::shared_ptr<hdi::IPreparedModel>> prepared_;
  uint32_t last_ = 0;
};

template <typename Function>
Function* find(void* library, const char* name) {
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) std::fprintf(stderr, "%s\n", dlerror());
  return reinterpret_cast<Function*>(found);
}

// Returns whether the library works.
bool serve(const char* name, std::vector<host::Socket> clients) {
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  auto* const create = find<decltype(CreateNnrtDeviceVdi)>(library, "CreateNnrtDeviceVdi");
  auto* const destroy = find<decltype(DestroyNnrtDeviceVdi)>(library, "DestroyNnrtDeviceVdi");
  hdi::INnrtDeviceVdi* const device = create == nullptr ? nullptr : create();
  if (device == nullptr || destroy == nullptr) return false;
  std::deque<Counters> counters(clients.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < clients.size(); ++i)
    threads.emplace_back([&, i] { Session(*device, std::move(clients[i]), counters, counters[i]).serve(); });
  for (std::thread& thread : threads) thread.join();
  destroy(device);
  return true;
}

}  // namespace

pid_t start_service(const char* library, size_t clients, std::vector<host::Socket>& ends) {
  std::vector<host::Socket> served;
  for (size_t i = 0; i < clients; ++i) {
    auto [end, other] = host::Socket::pair().value();
    ends.push_back(std::move(end));
    served.push_back(std::move(other));
  }
  const pid_t child = fork();
  if (child != 0) return child;
  ends.clear();
  std::_Exit(serve(library, std::move(served)) ? 0 : 1);
}

}  // namespace nnrt::test
