// What a xylem_comm_t points to.
#pragma once

#include <memory>

#include "comm/communicator.hpp"

struct xylem_comm {
  explicit xylem_comm(std::unique_ptr<xylem::Communicator> made) : communicator(std::move(made)) {}
  std::unique_ptr<xylem::Communicator> communicator;
};
