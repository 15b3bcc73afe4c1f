// The version of this build, from the one place that names it: xylem.h.
#pragma once

#include "xylem/xylem.h"

#define XYLEM_TEXT_OF(x) #x
#define XYLEM_TEXT(x) XYLEM_TEXT_OF(x)

namespace xylem {

inline constexpr const char* kVersion =
    XYLEM_TEXT(XYLEM_VERSION_MAJOR) "." XYLEM_TEXT(XYLEM_VERSION_MINOR) "." XYLEM_TEXT(XYLEM_VERSION_PATCH);

}  // namespace xylem

#undef XYLEM_TEXT
#undef XYLEM_TEXT_OF
