// The C boundary: nothing throws across it, and every failure leaves a text for xylem_last_error().
#pragma once

#include <new>
#include <string>

#include "base/error.hpp"

namespace xylem::api {

// Keeps the text for this thread and returns the status.
xylem_status fail(xylem_status status, const std::string& text);

// Runs `body`, which returns a status, and turns what it throws into one.
template <class Body>
xylem_status guarded(const char* function, Body body) {
  try {
    return body();
  } catch (const Error& error) {
    return fail(error.code(), std::string(function) + ": " + error.what());
  } catch (const std::bad_alloc&) {
    return fail(XYLEM_ERROR_OUT_OF_MEMORY, std::string(function) + ": out of memory");
  } catch (const std::exception& error) {
    return fail(XYLEM_ERROR_INTERNAL, std::string(function) + ": " + error.what());
  }
}

}  // namespace xylem::api
