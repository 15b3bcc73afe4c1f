#include "verify/verify.hpp"

#include <memory>

#include "coll/algorithms.hpp"
#include "plan/catalogue.hpp"
#include "verify/recorder.hpp"

namespace xylem::verify {

namespace {

using coll::Collective;
using RecorderLane = exec::Lane<Recorder>;
using RecorderKernel = void (*)(RecorderLane& lane, const coll::Args& args);

RecorderKernel kernel(std::uint32_t algorithm) {
  static constexpr auto kernels = coll::Algorithms::map(
      []<class A>() -> RecorderKernel { return [](RecorderLane& lane, const coll::Args& args) { A::run(lane, args); }; });
  return kernels[algorithm];
}

// The setups of all ranks for one call.
std::vector<std::unique_ptr<CallSetup>> setups(const Job& job, const CallSpec& call) {
  std::vector<std::unique_ptr<CallSetup>> all;
  for (std::uint32_t rank = 0; rank < job.host_of.size(); ++rank) {
    all.push_back(std::make_unique<CallSetup>(call, job.host_of, job.parts, rank));
  }
  return all;
}

bool splits(const std::vector<std::vector<Program>>& programs) {
  for (const std::vector<Program>& call : programs) {
    for (const Program& program : call) {
      for (const Step& step : program) {
        if (step.action == Action::fork) return true;
      }
    }
  }
  return false;
}

std::optional<Violation> wrong_results(const Job& job, const Machine& machine, const Terms& terms,
                                       const std::vector<std::vector<Program>>& programs) {
  for (std::uint32_t number = 0; number < job.calls.size(); ++number) {
    const auto all = setups(job, job.calls[number]);
    const Collective collective = plan::catalogue()[job.calls[number].algorithm].collective;
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
      const std::vector<Term>& output = machine.buffers(number, rank).output;
      // The same terms as on rank 0 are as good as those.
      const bool everywhere = collective == Collective::allreduce && rank != 0;
      if (everywhere && output == machine.buffers(number, 0).output) continue;
      std::optional<std::string> wrong = all[rank]->wrong(terms, output, number);
      if (!wrong && everywhere) wrong = "the result is summed in another order than on rank 0";
      if (!wrong && collective == Collective::barrier && !machine.heard_of_all(number, rank)) {
        wrong = "leaves before all ranks have come";
      }
      if (wrong) return Violation{rank, number, programs[number][rank].size(), *wrong};
    }
  }
  return std::nullopt;
}

std::optional<Violation> prove_once(const Job& job, const std::vector<std::vector<Program>>& programs,
                                    bool second_half_first) {
  Terms terms;
  Machine machine({job.slots, job.board_depth, job.host_of, second_half_first}, terms);
  for (std::uint32_t number = 0; number < job.calls.size(); ++number) {
    std::vector<Machine::Buffers> memory;
    for (const auto& setup : setups(job, job.calls[number])) memory.push_back(setup->before(terms, number));
    machine.add_call(programs[number], std::move(memory));
  }
  if (auto violation = machine.run()) return violation;
  return wrong_results(job, machine, terms, programs);
}

}  // namespace

Program record(std::uint32_t algorithm, const coll::Args& args, bool refuses) {
  Program program;
  Recorder recorder(program, refuses);
  RecorderLane lane(recorder);
  kernel(algorithm)(lane, args);
  return program;
}

Program record(const Job& job, const CallSpec& call, std::uint32_t rank) {
  const CallSetup setup(call, job.host_of, job.parts, rank);
  Program all;
  for (std::uint32_t index = 0; index < call.lanes; ++index) {
    const Program lane = record(call.algorithm, setup.args(index), call.refuses);
    all.insert(all.end(), lane.begin(), lane.end());
  }
  return all;
}

std::optional<Violation> prove(const Job& job) {
  std::vector<std::vector<Program>> programs;
  for (const CallSpec& call : job.calls) {
    std::vector<Program>& all = programs.emplace_back();
    for (std::uint32_t rank = 0; rank < job.host_of.size(); ++rank) all.push_back(record(job, call, rank));
  }
  return prove(job, programs);
}

std::optional<Violation> prove(const Job& job, const std::vector<std::vector<Program>>& programs) {
  if (auto violation = prove_once(job, programs, false)) return violation;
  return splits(programs) ? prove_once(job, programs, true) : std::nullopt;
}

std::string explain(const Job& job, const Violation& violation) {
  const plan::Algorithm& algorithm = plan::catalogue()[job.calls[violation.call].algorithm];
  return "rank " + std::to_string(violation.rank) + ", call " + std::to_string(violation.call) + " (" +
         coll::collective_name(algorithm.collective) + " " + algorithm.name + "), step " + std::to_string(violation.step) +
         ": " + violation.text;
}

}  // namespace xylem::verify
