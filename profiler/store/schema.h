// The tables of a store, and how an older one becomes this one.
#pragma once

#include "profiler/store/database.h"

namespace tw::store {

inline constexpr int kApplicationId = 0x54575231;  // "TWR1", in the file's header: file(1) and we tell it from other databases
inline constexpr int kSchemaVersion = 2;           // PRAGMA user_version

// Makes the tables in an empty file, brings an older store up in one transaction, leaves a current one alone. Fails with a
// sentence, and changes nothing, for the database of another program and for a newer schema; also for an older one that
// may only be read.
[[nodiscard]] Result<void> prepareSchema(const Database& database);

}  // namespace tw::store
