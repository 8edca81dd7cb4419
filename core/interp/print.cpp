// T.print and T.device_assert.
#include <fmt/format.h>

#include "core/interp/tile_walk.h"
#include "core/support/check.h"

namespace tw::interp {

using ir::DType;

namespace {

std::string textAttr(const OpRecord& record, const char* name)
{
    const auto found = record.attrs->find(name);
    if (found == record.attrs->end())
        return {};
    const auto* text = std::get_if<std::string>(&found->second);
    return text ? *text : std::string();
}

std::string valueText(DType type, Lane value)
{
    if (type.isFloating())
        return fmt::format("{:f}", value.f);
    if (type.scalar == ir::Scalar::kUInt64)
        return fmt::format("{}", static_cast<std::uint64_t>(value.i));
    return fmt::format("{}", value.i);
}

}  // namespace

void Machine::log(const std::string& text)
{
    if (logFull_)
        return;
    if (static_cast<std::int64_t>(log_.size() + text.size()) > options_.maxLogBytes) {
        log_ += "... the rest of what the kernel printed is cut off\n";
        logFull_ = true;
        return;
    }
    log_ += text;
}

std::string Machine::threadText(const Fiber& f, int lane) const
{
    std::int64_t rest = f.threads[f.free ? 0 : static_cast<std::size_t>(lane)];
    std::array<std::int64_t, 3> at{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t extent = launch_ ? launch_->launch->threads[axis] : 1;
        at[axis] = rest % extent;
        rest /= extent;
    }
    const auto& b = f.block->index;
    return fmt::format("BlockIdx=({}, {}, {}), ThreadIdx=({}, {}, {})", b[0], b[1], b[2], at[0], at[1], at[2]);
}

// One line a thread for an expression, one line an element for a buffer: "msg='…' BlockIdx=(…), ThreadIdx=(…): …".
void Machine::printOp(Fiber& f, const Instr& in, const OpRecord& record)
{
    std::string message = textAttr(record, "msg");
    if (!message.empty())
        message = "msg='" + message + "' ";
    const OperandRecord& value = record.at(0);
    const OperandRecord& buffer = record.at(1);
    if (buffer.region.buffer >= 0) {
        const BufferInfo& info = program_.buffers[static_cast<std::size_t>(buffer.region.buffer)];
        const bool each = info.space == Space::kThread || info.space == Space::kLane;
        for (int lane = 0; lane < f.n; ++lane) {
            if (!f.mask.on(lane))
                continue;
            TileView v;
            if (!view(f, buffer.region, lane, false, v, in.where.range))
                return;
            const std::string head = message + threadText(f, lane) + ": buffer=" + info.node->name;
            std::int64_t index = 0;
            forEachRow(v, v, pairAxes(v, v, true).axes, [&](std::int64_t extent, const Row& row, const Row&) {
                for (std::int64_t k = 0; k < extent && !logFull_; ++k, ++index) {
                    if (k < row.low || k >= row.high)
                        continue;
                    const std::int64_t at = row.base + k * row.stride;
                    const std::string text = isValid(v, at) ? valueText(v.type, loadElement(v.type, v.bytes, at)) : "unset";
                    log(fmt::format("{}, index={}, dtype={} value={}\n", head, index, v.type.name(), text));
                }
            });
            if (!each)
                return;
        }
        return;
    }
    for (int lane = 0; lane < f.n && !logFull_; ++lane) {
        if (!f.mask.on(lane))
            continue;
        if (value.slot < 0) {
            log(message + threadText(f, lane) + "\n");
            continue;
        }
        const Slot& s = slot(f, value.slot);
        std::string text;
        for (int c = 0; c < s.width; ++c)
            text += (c > 0 ? " " : "") + valueText(value.type.element(), s.component(c, f.n)[s.uniform ? 0 : lane]);
        log(fmt::format("{}{}: dtype={} value={}\n", message, threadText(f, lane), value.type.name(), text));
    }
}

void Machine::assertOp(Fiber& f, const Instr& in, const OpRecord& record)
{
    const Slot& condition = slot(f, record.at(0).slot);
    for (int lane = 0; lane < f.n; ++lane) {
        if (!f.mask.on(lane) || condition.lanes[condition.uniform ? 0 : static_cast<std::size_t>(lane)].i != 0)
            continue;
        const std::string message = textAttr(record, "msg");
        error(Code::kDeviceAssert, in.where.range,
              fmt::format("this device assertion fails at {}{}", threadText(f, lane),
                          message.empty() ? "" : ": " + message));
        return;
    }
}

}  // namespace tw::interp
