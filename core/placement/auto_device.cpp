#include "core/placement/auto_device.h"

#include "core/base/text.h"
#include "core/device/device_properties.h"
#include "core/device/device_registry.h"
#include "core/placement/calibrated_costs.h"
#include "core/placement/partition_cost.h"

#include <algorithm>
#include <cmath>
#include <iomanip>

namespace nnrt {
namespace {

class AutoDevice final : public Device {
 public:
  explicit AutoDevice(std::vector<std::shared_ptr<Device>> members) : owned_(std::move(members)) {
    for (const std::shared_ptr<Device>& member : owned_) members_.push_back(member.get());
    if (cpu_of(members_) != nullptr)
      std::erase_if(members_, [](const Device* member) { return is_software_gpu(*member); });
  }

  const DeviceInfo& info() const override { return info_; }
  std::vector<DeviceProperty> properties() const override {
    std::string names;
    for (const Device* member : members_) names += (names.empty() ? "" : ", ") + member->info().name;
    return {{"members", names}};
  }
  DeviceStatus status() const override { return DeviceStatus::available; }
  Result<DeviceType> type() const override { return DeviceType::others; }
  std::span<Device* const> members() const override { return members_; }

  // Supports what any member supports.
  Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions& options) const override {
    std::vector<Refusal> refusals = refusals_of(*members_.front(), graph, options);
    for (const Device* member : members().subspan(1)) {
      const std::vector<Refusal> others = refusals_of(*member, graph, options);
      for (NodeId node = 0; node < graph.nodes.size(); ++node) {
        if (!refusals[node]) continue;
        refusals[node] = others[node] ? cat(*refusals[node], " ", *others[node]) : Refusal();
      }
    }
    return refusals;
  }

  // A forged plan may claim that this device runs something.
  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr, const CompileOptions&) override {
    return Error{Code::failed, cat(kAutoName, " cannot run operations itself.")};
  }

 private:
  const std::vector<std::shared_ptr<Device>> owned_;
  std::vector<Device*> members_;
  const DeviceInfo info_{device_id(kAutoName), std::string(kAutoName), "NNRt"};
};

std::string in_words(double microseconds) {
  return cat(std::fixed, std::setprecision(microseconds < 100 ? 1 : 0), microseconds, " us");
}

// Members, what they support and what it costs.
class Chooser {
 public:
  Chooser(const Graph& graph, std::span<Device* const> members, const CompileOptions& options)
      : graph_(graph), members_(members), costs_(graph, devices_of(options)) {
    const auto cpu = std::ranges::find(members, cpu_of(members));
    home_ = cpu == members.end() ? 0 : size_t(cpu - members.begin());
  }

  Choice choose() {
    std::vector<size_t> owners = costs_.all_on(home_, home_);
    double best = costs_.expected(owners);
    std::string others;
    for (size_t other = 0; other < members_.size(); ++other) {
      if (other == home_) continue;
      if (const double time = costs_.expected(costs_.all_on(other, home_)); std::isfinite(time))
        others += cat(", as much as possible on ", name_of(other), " ", in_words(time));
      std::vector<size_t> divided = costs_.best_between(other, home_);
      const double time = costs_.expected(divided);
      if (!(time < best)) continue;
      best = time;
      owners = std::move(divided);
    }
    Choice choice{assignments_of(owners), ""};
    if (!std::isfinite(best)) return choice;  // a node that no member supports
    const double at_home = costs_.expected(costs_.all_on(home_, home_));
    choice.summary = cat("Expected ", in_words(best), "; all on ", name_of(home_), " ",
                         std::isfinite(at_home) ? in_words(at_home) : "impossible", others, ".");
    return choice;
  }

 private:
  std::vector<CandidateDevice> devices_of(const CompileOptions& options) {
    std::vector<CandidateDevice> devices;
    for (Device* member : members_) {
      std::vector<Refusal>& refusals = refusals_.emplace_back(refusals_of(*member, graph_, options));
      if (member->status() == DeviceStatus::lost) refusals.assign(graph_.nodes.size(), "The device is lost.");
      CandidateDevice& device =
          devices.emplace_back(CandidateDevice{calibrated_costs(*member, members_), {}});
      for (const Refusal& refusal : refusals) device.supports.push_back(!refusal);
    }
    return devices;
  }

  const std::string& name_of(size_t member) const { return members_[member]->info().name; }

  std::vector<Assignment> assignments_of(std::span<const size_t> owners) const {
    std::vector<Assignment> assignments(owners.size());
    for (NodeId node = 0; node < owners.size(); ++node) {
      const bool is_taken = !refusals_[owners[node]][node];
      if (is_taken) assignments[node].device = members_[owners[node]];
      assignments[node].refusal = reason(node, owners[node]);
    }
    return assignments;
  }

  std::string reason(NodeId node, size_t owner) const {
    const bool is_taken = !refusals_[owner][node];
    std::string text =
        is_taken ? cat(in_words(costs_.node_cost(owner, node)), " here.") : *refusals_[owner][node];
    for (size_t other = 0; other < members_.size(); ++other) {
      if (other == owner) continue;
      const Refusal& refusal = refusals_[other][node];
      text +=
          cat(" ", name_of(other), ": ", refusal ? *refusal : in_words(costs_.node_cost(other, node)) + ".");
    }
    return text;
  }

  const Graph& graph_;
  const std::span<Device* const> members_;
  std::vector<std::vector<Refusal>> refusals_;  // by member, then node
  const PartitionCost costs_;
  size_t home_ = 0;
};

}  // namespace

Device* cpu_of(std::span<Device* const> members) {
  const auto found = std::ranges::find_if(members, [](Device* member) { return is_own_cpu(*member); });
  return found == members.end() ? nullptr : *found;
}

std::shared_ptr<Device> make_auto_device(std::vector<std::shared_ptr<Device>> members) {
  return std::make_shared<AutoDevice>(std::move(members));
}

Choice choose(const Graph& graph, std::span<Device* const> members, const CompileOptions& options) {
  return Chooser(graph, members, options).choose();
}

}  // namespace nnrt
