#include "backend/selection.hpp"

#include <mpi.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "backend/mpi_functions.hpp"
#include "backend/own_communicators.hpp"
#include "base/log.hpp"
#include "base/parse.hpp"
#include "base/settings.hpp"
#include "base/spelling.hpp"

namespace xylem::preload {
namespace {

std::string all_names() {
  std::string text;
  for (const std::string_view name : kCollectiveNames) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

// Of names with commas between. What is no name is told and left out.
std::uint32_t read_selection(std::string_view text) {
  std::uint32_t selected = 0;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    const auto* const found = std::find_if(kCollectiveNames.begin(), kCollectiveNames.end(),
                                           [&](std::string_view known) { return equal_in_any_case(known, name); });
    if (found != kCollectiveNames.end())
      selected |= std::uint32_t{1} << (found - kCollectiveNames.begin());
    else
      log::warn("XYLEM_COLLECTIVES: '" + printable(name) + "' is no collective; there are " + all_names());
  }
  return selected;
}

}  // namespace

void agree_on_selection() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && !settings().collectives.empty()) detail::selected = read_selection(settings().collectives);
  call_mpi(own_communicators().world, real().Bcast, &detail::selected, 1, MPI_UINT32_T, 0, own_communicators().world);
}

}  // namespace xylem::preload
