// What a xylem_request_t points to.
#pragma once

#include <memory>

#include "comm/request.hpp"

struct xylem_request : xylem::Request {
  using Request::Request;
  std::unique_ptr<xylem_request> rest;  // the other calls of a group; as a rule there is one
};
