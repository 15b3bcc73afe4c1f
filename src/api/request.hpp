// What a xylem_request_t points to.
#pragma once

#include "comm/request.hpp"

struct xylem_request : xylem::Request {
  using Request::Request;
};
