#include "backend/presence.hpp"

#include <mpi.h>

#include <array>
#include <map>
#include <vector>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "xylem/xylem.h"

namespace xylem::preload {
namespace {

// A rank's word is "<version>/on" or "<version>/disabled".
constexpr std::string_view kOn = "/on";
constexpr std::string_view kDisabled = "/disabled";

bool is_willing(const std::optional<std::string>& word) { return word && word->ends_with(kOn); }

// What keeps a rank with this word from running with ranks whose word is `wanted`; empty if nothing does.
std::string hindrance(const std::optional<std::string>& word, const std::string& wanted) {
  if (word == wanted) return {};
  if (!word) return "without the library (is LD_PRELOAD set for all ranks?)";
  if (word->ends_with(kDisabled)) return "with XYLEM_DISABLE set";
  return "with version " + word->substr(0, word->find('/')) + " where this is " + xylem_version();
}

std::string rank_list(const std::vector<int>& ranks) {
  constexpr std::size_t kShown = 8;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size() && i < kShown; ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  if (ranks.size() > kShown) text += " and " + std::to_string(ranks.size() - kShown) + " more";
  return text;
}

// The largest tag that the MPI has, which programs hardly ever use.
int largest_tag() {
  int* tag = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag, &found);
  return found != 0 ? *tag : 32767;
}

// A world of one rank in a job of several means that the job was started by another MPI's launcher.
void warn_if_launcher_has_more() {
  struct Launcher {
    const char* rank;
    const char* size;
  };
  constexpr std::array kLaunchers = {Launcher{"PMI_RANK", "PMI_SIZE"},
                                     Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}};
  for (const Launcher& launcher : kLaunchers) {
    const std::string size = launcher_variable(launcher.size);
    if (size.empty() || size == "1" || launcher_variable(launcher.rank) != "0") continue;
    log::warn("the launcher started " + size + " processes, but each is alone to its MPI: does mpirun belong to this MPI?");
    return;
  }
}

}  // namespace

Presence::Presence(bool willing)
    : space_(open_key_value_space()),
      word_(std::string(xylem_version()) + std::string(willing ? kOn : kDisabled)),
      willing_(willing) {
  if (space_ != nullptr) space_->put(word_);
}

bool Presence::agree(int rank, int size) {
  if (!willing_) {
    why_off_ = "XYLEM_DISABLE is set";
    return false;
  }
  if (size == 1) {
    warn_if_launcher_has_more();
    return true;
  }
  if (space_ == nullptr || !space_->published() || space_->rank() != rank) {
    why_off_ = "this launcher offers no way that Xylem knows to ask whether all ranks have the library";
    if (rank == 0) log::warn("Xylem is off: " + why_off_);
    return false;
  }
  return ask_launcher(rank, size);
}

bool Presence::ask_launcher(int rank, int size) {
  const int leader = lowest_willing_rank(size);
  const int tag = largest_tag();
  int on = 0;
  if (rank != leader) {
    why_off_ = "rank " + std::to_string(leader) + " has warned why";
    // A leader of another version does not know of us, and will not run with us either.
    if (space_->get(leader) != word_) return false;
    // It comes before anything else that the leader can send, as the leader is still in MPI_Init.
    PMPI_Recv(&on, 1, MPI_INT, leader, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return on != 0;
  }
  why_off_ = complaints(size);
  on = why_off_.empty() ? 1 : 0;
  for (int r = 0; r < size; ++r) {
    if (r != rank && (on != 0 || space_->get(r) == word_)) PMPI_Send(&on, 1, MPI_INT, r, tag, MPI_COMM_WORLD);
  }
  if (on == 0) log::warn("Xylem is off for this job: " + why_off_);
  return on != 0;
}

// This rank is willing itself, so there is one.
int Presence::lowest_willing_rank(int size) {
  int rank = 0;
  while (rank < size - 1 && !is_willing(space_->get(rank))) ++rank;
  return rank;
}

std::string Presence::complaints(int size) {
  std::map<std::string, std::vector<int>> ranks_by_hindrance;
  for (int r = 0; r < size; ++r) {
    const std::string text = hindrance(space_->get(r), word_);
    if (!text.empty()) ranks_by_hindrance[text].push_back(r);
  }
  std::string text;
  for (const auto& [hindrance, ranks] : ranks_by_hindrance)
    text += (text.empty() ? "" : "; ") + rank_list(ranks) + (ranks.size() == 1 ? " runs " : " run ") + hindrance;
  return text;
}

}  // namespace xylem::preload
