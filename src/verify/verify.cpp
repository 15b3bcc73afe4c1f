#include "verify/verify.hpp"

#include "coll/algorithms.hpp"
#include "comm/members.hpp"
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

Collective collective_of(const CallSpec& call) { return plan::catalogue()[call.algorithm].collective; }

std::vector<std::uint64_t> host_ids(const Job& job) { return {job.host_of.begin(), job.host_of.end()}; }

// Elements of each buffer of a rank.
struct Sizes {
  std::uint64_t input, output;
  std::uint64_t input_offset = 0;  // of the input in the output, in place
};

Sizes sizes(const CallSpec& call, std::uint32_t ranks, std::uint32_t rank) {
  switch (collective_of(call)) {
    case Collective::allreduce:
      return {call.count, call.count};
    case Collective::reduce:
      return {call.count, rank == call.root ? call.count : 0};
    case Collective::bcast:
      return {0, call.count};
    case Collective::allgather:
      return {call.count, call.count * ranks, call.count * rank};
    case Collective::reduce_scatter_block:
      return {call.count * ranks, call.in_place ? call.count * ranks : call.count};
    case Collective::barrier:
      break;
  }
  return {0, 0};
}

// Whether this rank's input lies in its output.
bool works_in_place(const CallSpec& call, std::uint32_t rank) {
  const Collective collective = collective_of(call);
  return collective == Collective::bcast || (call.in_place && (collective != Collective::reduce || rank == call.root));
}

Machine::Buffers buffers(Terms& terms, const CallSpec& call, std::uint32_t number, std::uint32_t ranks, std::uint32_t rank) {
  const Sizes size = sizes(call, ranks, rank);
  Machine::Buffers made;
  made.output.assign(size.output, Terms::kGarbage);
  made.scratch.assign(call.chunk, collective_of(call) == Collective::barrier ? terms.leaf(number, rank, 0) : Terms::kGarbage);
  const bool in_place = works_in_place(call, rank);
  const bool has_input = collective_of(call) != Collective::bcast || rank == call.root;
  const std::uint64_t count = collective_of(call) == Collective::bcast ? call.count : size.input;
  if (!in_place) made.input.assign(count, Terms::kGarbage);
  for (std::uint64_t i = 0; has_input && i < count; ++i) {
    (in_place ? made.output[size.input_offset + i] : made.input[i]) = terms.leaf(number, rank, i);
  }
  return made;
}

std::optional<std::string> wrong_result(Terms& terms, const Machine& machine, const CallSpec& call, std::uint32_t number,
                                        std::uint32_t ranks, std::uint32_t rank) {
  const std::vector<Term>& out = machine.buffers(number, rank).output;
  const auto element = [](std::uint64_t i) { return "output element " + std::to_string(i); };
  switch (collective_of(call)) {
    case Collective::allreduce:
    case Collective::reduce:
      for (std::uint64_t i = 0; i < out.size(); ++i) {
        // The same term as on rank 0 is as complete as that one.
        const bool everywhere = collective_of(call) == Collective::allreduce && rank != 0;
        if (everywhere && out[i] == machine.buffers(number, 0).output[i]) continue;
        if (!terms.is_complete(out[i], number, ranks, i)) return element(i) + " is not the sum of all contributions";
        if (everywhere) return element(i) + " is summed in another order than on rank 0";
      }
      break;
    case Collective::bcast:
      for (std::uint64_t i = 0; i < out.size(); ++i) {
        if (out[i] != terms.leaf(number, call.root, i)) return element(i) + " is not the root's";
      }
      break;
    case Collective::allgather:
      for (std::uint64_t i = 0; i < out.size(); ++i) {
        if (out[i] != terms.leaf(number, static_cast<std::uint32_t>(i / call.count), i % call.count)) {
          return element(i) + " is not that of its rank";
        }
      }
      break;
    case Collective::reduce_scatter_block:
      for (std::uint64_t i = 0; i < call.count; ++i) {
        if (!terms.is_complete(out[i], number, ranks, rank * call.count + i)) {
          return element(i) + " is not the sum of all contributions";
        }
      }
      break;
    case Collective::barrier:
      break;
  }
  return std::nullopt;
}

std::optional<Violation> prove_once(const Job& job, const std::vector<std::vector<Program>>& programs,
                                    bool second_half_first) {
  const auto ranks = static_cast<std::uint32_t>(job.host_of.size());
  Terms terms;
  Machine machine({job.slots, job.board_depth, job.host_of, second_half_first}, terms);
  for (std::uint32_t number = 0; number < job.calls.size(); ++number) {
    std::vector<Machine::Buffers> memory;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      memory.push_back(buffers(terms, job.calls[number], number, ranks, rank));
    }
    machine.add_call(programs[number], std::move(memory));
  }
  if (const auto violation = machine.run()) return violation;
  for (std::uint32_t number = 0; number < job.calls.size(); ++number) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      if (const auto wrong = wrong_result(terms, machine, job.calls[number], number, ranks, rank)) {
        return Violation{rank, number, programs[number][rank].size(), *wrong};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Program record(const Job& job, const CallSpec& call, std::uint32_t rank) {
  Members members(rank, host_ids(job));
  coll::Args args;
  const Sizes size = sizes(call, members.size(), rank);
  args.output = Recorder::address(Space::output);
  args.input = works_in_place(call, rank) ? args.output + size.input_offset : Recorder::address(Space::input);
  args.scratch = Recorder::address(Space::scratch);
  args.count = call.count;
  args.element_bytes = 1;
  args.chunk_bytes = call.chunk;
  args.rank = rank;
  args.ranks = members.size();
  args.root = call.root;
  args.all = members.all();
  args.host = members.host();
  const Collective collective = collective_of(call);
  members.set_leaders(args, collective == Collective::bcast || collective == Collective::reduce);

  Program program;
  Recorder recorder(program);
  RecorderLane lane(recorder);
  kernel(call.algorithm)(lane, args);
  return program;
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
  if (const auto violation = prove_once(job, programs, false)) return violation;
  return prove_once(job, programs, true);
}

std::string explain(const Job& job, const Violation& violation) {
  const plan::Algorithm& algorithm = plan::catalogue()[job.calls[violation.call].algorithm];
  return "rank " + std::to_string(violation.rank) + ", call " + std::to_string(violation.call) + " (" +
         coll::collective_name(algorithm.collective) + " " + algorithm.name + "), step " + std::to_string(violation.step) +
         ": " + violation.text;
}

}  // namespace xylem::verify
