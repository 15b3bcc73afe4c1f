// "Did you mean ...?": for names of settings, options and collectives that nobody knows.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace xylem {

// The known name that is most like `name`; of equals the first. A name cut short or drawn out, such as XYLEM_ALGO or
// XYLEM_LOG_LEVEL, is nearly right. Empty if none is near: a guess that is far off helps nobody.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

// "; did you mean allreduce?", or nothing.
std::string suggestion(std::string_view name, std::span<const std::string_view> known);

}  // namespace xylem
