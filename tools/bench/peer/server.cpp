#include "bench/peer/server.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "bench/peer/line.hpp"
#include "bench/rounds.hpp"
#include "bench/setting.hpp"

namespace xylem::tools {
namespace {

// What the ranks have at hand to measure one kind of call.
struct Prepared {
  Prepared(const PeerQuestion& question, const PoliteGroup& group, const Calls& calls)
      : call(question.kind, MPI_COMM_WORLD),
        pool(call.send_bytes(), call.receive_bytes(), question.effort.buffers == BufferState::warm),
        rounds(MPI_COMM_WORLD, group, calls, question.effort) {}

  CollectiveCall call;
  BufferPool pool;
  Rounds rounds;
};

// Rank 0's next question on all ranks, which sleep until it comes; empty at the end.
std::string next_question(const PoliteGroup& group) {
  std::string line;
  if (group.rank() == 0) std::getline(std::cin, line);
  return group.hear_from_first(line);
}

}  // namespace

void serve() {
  const Calls calls = mpi_calls();
  const PoliteGroup group(MPI_COMM_WORLD);
  const auto say = [&](const std::string& line) {
    if (group.rank() == 0) std::cout << line << std::endl;
  };
  say(nlohmann::json{{"ready", mpi_version()}, {"ranks", group.size()}}.dump());
  std::unique_ptr<Prepared> prepared;
  for (std::string line = next_question(group); !line.empty(); line = next_question(group)) {
    const PeerQuestion question = read_question(line);
    if (question.batch == 0) {
      prepared.reset();  // the memory of the one before
      prepared = std::make_unique<Prepared>(question, group, calls);
      say(R"({"line": "prepared"})");
      continue;
    }
    if (!prepared) throw std::runtime_error("asked for a round of nothing");
    if (static_cast<std::size_t>(question.batch) > prepared->pool.size())
      throw std::runtime_error(fmt::format("asked for a round of more than {} calls", prepared->pool.size()));
    Notes notes;
    notes.batch = question.batch;
    prepared->rounds.run(prepared->call, calls, prepared->pool, notes, true);
    say(side_to_json(prepared->rounds.gather(notes)));
  }
}

}  // namespace xylem::tools
