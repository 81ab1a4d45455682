// A hosted device whose host is a thread of the test: everything crosses a socket, and the test controls both
// ends.
#pragma once

#include "backends/host/client/hosted_device.h"
#include "backends/host/server/host_server.h"
#include "core/platform/log.h"
#include "tests/host/scripted_host_device.h"
#include "tests/support/graph_maker.h"
#include "tests/support/prepare_model.h"
#include "tests/support/tensor_views.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace nnrt::test {

class Hosted : public testing::Test {
 protected:
  Hosted() {
    set_log_sink([](LogLevel, std::string_view) {});
    device_ = std::make_unique<host::HostedDevice>(host_, host_->session().value()->devices().at(0));
  }
  ~Hosted() override {
    device_ = nullptr;
    host_ = nullptr;
    for (std::thread& server : servers_) server.join();
    set_log_sink({});
  }

  // Starts a host, as the runtime does if there is none.
  Result<std::shared_ptr<host::Session>> start() {
    if (!may_start_) return Error{Code::unavailable_device, "The test starts no host."};
    auto sockets = host::Socket::pair().value();
    servers_.emplace_back(
        [this, fd = sockets.second.release()]() mutable { host::serve(std::move(fd), devices_); });
    ++started_;
    return host::Session::connect(std::move(sockets.first), host::HostProcess());
  }
  host::Session& session() { return *host_->session().value(); }

  std::unique_ptr<PreparedModel> prepare(GraphPtr graph) { return test::prepare(*device_, std::move(graph)); }
  static GraphPtr relu(Shape shape) {
    GraphMaker maker;
    const TensorId x = maker.input(shape);
    return maker.finish({maker.op(Op::relu, {x}, std::move(shape))});
  }

  const std::shared_ptr<Script> script_ = std::make_shared<Script>();
  const std::shared_ptr<ScriptedDevice> served_ = std::make_shared<ScriptedDevice>(script_);
  const host::Devices devices_{served_};
  std::atomic<bool> may_start_ = true;
  std::atomic<int> started_ = 0;
  std::vector<std::thread> servers_;
  std::shared_ptr<host::Host> host_ = std::make_shared<host::Host>([this] { return start(); });
  std::unique_ptr<host::HostedDevice> device_;
};

}  // namespace nnrt::test
