// The provider as ONNX Runtime drives it: devices, options, groups, compiling, running, and errors.
#include "tests/frameworks/onnxruntime/ep/fake_graph.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

extern "C" {
OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base, const OrtLogger* logger,
                             OrtEpFactory** factories, size_t capacity, size_t* count);
}

namespace {

// The provider's allocation with this number fails; 0: none does.
int allocations_left = 0;

}  // namespace

// Not inlined: compilers warn about a pair of new and free.
[[gnu::noinline]] void* operator new(size_t size) {
  if (nnrt::ep::Shortage::is_short() && allocations_left > 0 && --allocations_left == 0)
    throw std::bad_alloc();
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// Sanitizers provide their own, whose memory must not reach the operators below.
[[gnu::noinline]] void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace nnrt::ep {
namespace {

using Entries = std::map<std::string, std::string>;

// What a session owns.
struct Session {
  OrtEpFactory* factory = nullptr;
  OrtEp* ep = nullptr;
  std::vector<OrtNodeComputeInfo*> computes;

  ~Session() {
    if (ep == nullptr) return;
    if (!computes.empty()) ep->ReleaseNodeComputeInfos(ep, computes.data(), computes.size());
    factory->ReleaseEp(factory, ep);
  }
};

// The message of a call of the provider.
template <typename Call>
std::string answer_of(const Call& call) {
  OrtStatus* status = nullptr;
  {
    const Shortage shortage(true);
    status = call();
  }
  return message_of(status);
}

class Provider : public testing::Test {
 protected:
  Provider() {
    size_t count = 0;
    EXPECT_EQ(message_of(CreateEpFactories("nnrt", &fake_ort(), &logger_, &factory_, 1, &count)), "");
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(list_devices(), "");
    EXPECT_FALSE(cpu_.empty());
    // b = Relu(x + k)
    maker_.input("x", {-1, 20}).constant("k", std::vector<float>(20, -2)).node("Add", {"x", "k"}, {"a"});
    maker_.node("Relu", {"a"}, {"b"});
  }

  std::string open(Session& session, const Entries& entries, bool has_device = true) {
    const Entries metadata = has_device ? Entries{{"id", cpu_}} : Entries();
    const OrtSessionOptions options{entries};
    const OrtKeyValuePairs facts{metadata, {}, {}};
    const OrtKeyValuePairs* const all[] = {&facts};
    session.factory = factory_;
    return answer_of(
        [&] { return factory_->CreateEp(factory_, nullptr, all, 1, &options, &logger_, &session.ep); });
  }

  // The nodes of each group by type.
  std::vector<std::vector<std::string>> groups(Session& session) {
    OrtEpGraphSupportInfo support;
    EXPECT_EQ(message_of(session.ep->GetCapability(session.ep, &maker_.graph(), &support)), "");
    std::vector<std::vector<std::string>> types;
    for (const auto& group : support.groups)
      for (types.emplace_back(); const OrtNode* const node : group) types.back().push_back(node->type);
    return types;
  }

  // The graph as one group, with its boundary in the order of the fused node.
  std::string compile(Session& session, OrtNode** context) {
    OrtNode fused;
    fused.name = "group";
    fused.inputs = maker_.graph().inputs;
    fused.outputs = maker_.graph().outputs;
    const OrtGraph* graph = &maker_.graph();
    const OrtNode* node = &fused;
    OrtNodeComputeInfo* compute = nullptr;
    std::string message =
        answer_of([&] { return session.ep->Compile(session.ep, &graph, &node, 1, &compute, context); });
    if (compute != nullptr) session.computes.push_back(compute);
    return message;
  }

  // Runs rows of `value`.
  static std::string run(Session& session, int64_t rows, float value, OrtValue& result) {
    OrtNodeComputeInfo* const compute = session.computes.at(0);
    const OrtValue x{{ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {rows, 20}},
                     std::vector<float>(static_cast<size_t>(rows) * 20, value)};
    OrtKernelContext context{{&x}, std::deque<OrtValue>(1)};
    void* state = nullptr;
    EXPECT_EQ(message_of(compute->CreateState(compute, nullptr, &state)), "");
    std::string message = answer_of([&] { return compute->Compute(compute, state, &context); });
    compute->ReleaseState(compute, state);
    result = std::move(context.outputs[0]);
    return message;
  }

  // Sets `cpu_`.
  std::string list_devices() {
    const OrtHardwareDevice hardware{OrtHardwareDeviceType_CPU, "Any"};
    const OrtHardwareDevice* const all[] = {&hardware};
    OrtEpDevice* devices[8] = {};
    size_t count = 0;
    std::string message =
        answer_of([&] { return factory_->GetSupportedDevices(factory_, all, 1, devices, 8, &count); });
    for (size_t i = 0; i < count; ++i) {
      auto& facts = devices[i]->metadata.pairs;
      if (facts["type"] == "cpu") cpu_ = facts["id"];
      EXPECT_EQ(devices[i]->hardware, &hardware);
      EXPECT_NE(devices[i]->memory, nullptr);
      EXPECT_FALSE(facts["nnrt_device"].empty());
      fake_ort().GetApi(1)->GetEpApi()->ReleaseEpDevice(devices[i]);
    }
    return message;
  }

  OrtLogger logger_;
  OrtEpFactory* factory_ = nullptr;
  std::string cpu_;  // the id of our CPU device
  FakeGraph maker_;
};

TEST_F(Provider, NeedsRoomForAFactory) {
  OrtEpFactory* factory = nullptr;
  size_t count = 0;
  EXPECT_EQ(message_of(CreateEpFactories("nnrt", &fake_ort(), &logger_, &factory, 0, &count)),
            "There is no room for a factory.");
}

TEST_F(Provider, ReadsOptionsOfTheSession) {
  Session session, other, wrong;
  EXPECT_EQ(open(session, {{"ep.nnrtexecutionprovider.fp16", "1"}, {"session.other", "7"}}), "");
  EXPECT_EQ(open(other, {{"ep.NNRtExecutionProvider.device", "cpu"}}, false), "");
  EXPECT_EQ(open(wrong, {{"ep.nnrtexecutionprovider.fp16", "7"}}), "Option fp16 is 7, but must be 1 or 0.");
  EXPECT_EQ(open(wrong, {{"ep.nnrtexecutionprovider.colour", "red"}}),
            "Option colour is not one of: device, fallback, fp16, cache_dir, priority, performance, threads, "
            "placement, trace.");
  EXPECT_EQ(open(wrong, {{"ep.nnrtexecutionprovider.device", "tpu"}}).substr(0, 31),
            "Device (tpu) is not one of: CPU");
  EXPECT_EQ(wrong.ep, nullptr);
}

TEST_F(Provider, SplitsGroupsAroundUnsupportedNodes) {
  maker_.node("Left", {"b"}, {"c"}).node("Neg", {"c"}, {"y"}).output("y", {-1, 20});
  Session session;
  ASSERT_EQ(open(session, {}), "");
  EXPECT_EQ(groups(session), (std::vector<std::vector<std::string>>{{"Add", "Relu"}, {"Neg"}}));
  EXPECT_EQ(logger_.lines.at(0), "Node Left3 (Left) is left: The operator is not supported.");
  EXPECT_EQ(logger_.lines.at(1).substr(0, 24), "3 of 4 nodes run on CPU_");
}

TEST_F(Provider, ClaimsNodesWithTheirBodies) {
  FakeGraph outer;
  outer.input("c", {}).find("c")->type.tensor.type = ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL;
  outer.node("If", {"c"}, {"y"}).output("y", {20});
  FakeGraph body;
  body.constant("k", std::vector<float>(20, 1)).output("z", {20}).node("Neg", {"k"}, {"z"});
  body.graph().parent = &outer.last();
  outer.last().bodies = {{"then_branch", &body.graph()}, {"else_branch", &body.graph()}};
  Session session;
  ASSERT_EQ(open(session, {}), "");
  OrtEpGraphSupportInfo of_body, of_outer;
  EXPECT_EQ(message_of(session.ep->GetCapability(session.ep, &body.graph(), &of_body)), "");
  EXPECT_EQ(message_of(session.ep->GetCapability(session.ep, &outer.graph(), &of_outer)), "");
  EXPECT_TRUE(of_body.groups.empty());
  EXPECT_EQ(of_outer.groups.size(), 1U);
}

TEST_F(Provider, CompilesAndRuns) {
  maker_.output("b", {});
  Session session;
  ASSERT_EQ(open(session, {}), "");
  ASSERT_EQ(groups(session).size(), 1U);
  ASSERT_EQ(compile(session, nullptr), "");
  OrtValue result;
  for (const int64_t rows : {3, 1}) {
    ASSERT_EQ(run(session, rows, 5, result), "");
    EXPECT_EQ(result.info.shape, (std::vector<int64_t>{rows, 20}));
    EXPECT_EQ(result.data, std::vector<float>(static_cast<size_t>(rows) * 20, 3));
  }
}

TEST_F(Provider, WritesAndReadsCompiledModels) {
  maker_.output("b", {});
  OrtNode* context = nullptr;
  {
    Session session;
    ASSERT_EQ(open(session, {{"ep.context_enable", "1"}, {"ep.context_embed_mode", "1"}}), "");
    ASSERT_EQ(compile(session, &context), "");
  }
  ASSERT_NE(context, nullptr);
  EXPECT_EQ(context->type, "EPContext");
  maker_.graph().nodes.clear();
  maker_.node("EPContext", {"x"}, {"b"});
  maker_.last().domain = context->domain;
  maker_.last().attributes = context->attributes;
  fake_ort().GetApi(1)->ReleaseNode(context);
  Session session;
  ASSERT_EQ(open(session, {}), "");
  EXPECT_EQ(groups(session), (std::vector<std::vector<std::string>>{{"EPContext"}}));
  ASSERT_EQ(compile(session, nullptr), "");
  OrtValue result;
  ASSERT_EQ(run(session, 2, 5, result), "");
  EXPECT_EQ(result.data, std::vector<float>(40, 3));
}

class Failures : public Provider {
 protected:
  Failures() { maker_.output("b", {}); }

  // Everything from the session's start to the first result.
  std::string use() {
    Session session;
    OrtEpGraphSupportInfo support;
    OrtValue result;
    std::string message = list_devices();
    if (message.empty()) message = open(session, {});
    if (message.empty())
      message = answer_of([&] { return session.ep->GetCapability(session.ep, &maker_.graph(), &support); });
    if (message.empty()) message = compile(session, nullptr);
    if (message.empty()) message = run(session, 2, 5, result);
    if (message.empty()) {
      EXPECT_EQ(result.data, std::vector<float>(40, 3));
    }
    return message;
  }
};

TEST_F(Failures, OfCallsEndWithTheirReason) {
  ASSERT_EQ(use(), "");
  const int before = live_objects();
  int failed = 0;
  for (bool is_over = false; !is_over; ++failed) {
    refuse_call(failed + 1);
    const std::string message = use();
    is_over = !has_refused();
    refuse_call(0);
    ASSERT_EQ(live_objects(), before) << "call " << failed + 1;
    if (!message.empty()) {
      EXPECT_NE(message.find("refused"), std::string::npos) << message;
    }
  }
  EXPECT_GT(failed, 100);
  EXPECT_EQ(use(), "");
}

TEST_F(Failures, OfAllocationsAreErrors) {
  ASSERT_EQ(use(), "");
  const int before = live_objects();
  int number = 0, failed = 0;
  for (bool is_over = false; !is_over; failed += !is_over) {
    allocations_left = number += 3;
    use();
    is_over = allocations_left > 0;
    allocations_left = 0;
    ASSERT_EQ(live_objects(), before) << "allocation " << number;
  }
  EXPECT_GT(failed, 100);
  EXPECT_EQ(use(), "");
}

}  // namespace
}  // namespace nnrt::ep
