// Stage records as a kernel writes them (resources/device/cuda/records.cuh), and what they say.
//
// A launch's records are one array of 32-bit little-endian words: for each chosen block, for each role, a header of 16 words
// and `capacity` records of 2.
//   header: 0 state (0x54570001 began, 0x54570002 finished; anything else: never ran) · 1 multiprocessor · 2-3 linear block index
//           · 4-5 nanoseconds (%globaltimer) and 6-7 clock (%clock64) at the start · 8-11 the same at the end
//           · 12 records made, also those that did not fit · 13 role · 14 capacity · 15 unused
//   record: 0 event (StageRecords::events, from 1) · 1 the low half of the clock
// A record says what the role does from then on. The clock counts cycles of one multiprocessor; two points of the nanosecond
// timer, which all multiprocessors share, give its rate and its place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "codegen/gpu_c/stage_records.h"
#include "profiler/capture/capture.h"

namespace tw::timeline {

// The event of a span between the last record that was kept and the end of its role.
inline constexpr const char* kUnrecorded = "unrecorded";

struct LaunchRecords {
    gpu::StageRecords table;
    std::vector<std::uint8_t> bytes;  // as downloaded
};

struct Decoded {
    capture::Timeline timeline;        // measured; times from the earliest start of a block in it
    std::vector<std::string> remarks;  // what is missing or looks damaged, one sentence each
};

// Tracks by launch, block, role; spans of one track follow each other without gaps from the start of the role to its end.
// An iteration counts the times that a stage was begun since the loop around its loop went on (from 0); it is -1 for stages
// outside of loops. Roles of blocks that never ran are absent; damaged roles are left out with a remark. Fails if nothing is
// left.
[[nodiscard]] tl::expected<Decoded, std::string> decode(std::span<const LaunchRecords> launches);

// The words of an array as the device sees them. Bytes behind the last whole word are dropped.
[[nodiscard]] std::vector<std::uint32_t> wordsOf(std::span<const std::uint8_t> bytes);

// Records as text (JSON), to be decoded somewhere else.
[[nodiscard]] std::string toText(std::span<const LaunchRecords> launches);
[[nodiscard]] tl::expected<std::vector<LaunchRecords>, std::string> fromText(std::string_view text);

}  // namespace tw::timeline
