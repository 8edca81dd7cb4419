// The integers of staging Python: 128 bits wide, so that every 64-bit mask and product of real files is exact.
// Arithmetic that leaves the range is reported, never wrapped.
#pragma once

namespace tw {

__extension__ typedef __int128 Integer;

}  // namespace tw
