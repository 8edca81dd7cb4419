// Any bytes go through the runner protocol's reader without a crash and without memory that they did not bring along; what
// is understood survives another trip.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "profiler/protocol/messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace tw::protocol;
    FrameReader reader;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    // In two pieces, so that a frame is cut somewhere.
    const std::size_t cut = size > 0 ? data[0] % size : 0;
    reader.feed({bytes.data(), cut});
    for (int piece = 0; piece < 2; ++piece) {
        while (const auto frame = reader.next()) {
            const auto envelope = decode(*frame);
            if (envelope && !decode(encode(*envelope)))
                std::abort();
        }
        if (piece == 0)
            reader.feed({bytes.data() + cut, size - cut});
    }
    return 0;
}
