// A service in the shape of OpenHarmony's: it opens the driver's library and serves its device to other
// processes. What a client leaves behind when it dies, it gives back.
#pragma once

#include "tests/driver/hdi_parcel.h"

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace nnrt::test {

// Requests are a method and its arguments, responses a return code and what the method returns. A client
// names its models by number.
enum class Method : uint8_t { allocate, release, prepare, forget, run, count };

// What a client has and did.
struct ClientCounts {
  uint64_t models = 0, runs_begun = 0, runs_ended = 0;
};
void visit_members(Same<ClientCounts> auto& value, auto& visit) {
  visit(value.models, value.runs_begun, value.runs_ended);
}

// What the service's process has at a moment.
struct Counts {
  int64_t files = 0;
  uint64_t shared_bytes = 0;  // mapped memory of clients and of the driver
  uint64_t resident_bytes = 0;
  std::vector<ClientCounts> clients;
};
void visit_members(Same<Counts> auto& value, auto& visit) {
  visit(value.files, value.shared_bytes, value.resident_bytes, value.clients);
}

// Starts the service as a child process, which ends when all clients are gone. This process keeps the
// clients' ends. No thread may run in it.
pid_t start_service(const char* library, size_t clients, std::vector<host::Socket>& ends);

// Calls a method: sends `arguments`, and reads a return code. The results remain in the reader.
template <typename... Arguments>
Result<std::pair<int32_t, ParcelReader>> call(const host::Socket& service, Method method,
                                              const Arguments&... arguments) {
  ParcelWriter request;
  request(method, arguments...);
  NNRT_TRY(request.send(service));
  NNRT_ASSIGN(ParcelReader response, ParcelReader::receive(service));
  const auto code = response.take<int32_t>();
  return std::pair(code, std::move(response));
}

}  // namespace nnrt::test
