#include "codegen/nvrtc/places.h"

namespace tw::nvrtc {

gpu::LineSource PlaceFinder::find(std::string name, int line) const
{
    name = name.substr(name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
    for (std::uint32_t i = 0; sources_ && i < sources_->size(); ++i) {
        const SourceText& file = sources_->file(i);
        const std::string own = file.name().substr(file.name().rfind('/') == std::string::npos ? 0 : file.name().rfind('/') + 1);
        if (own != name || line > file.lineCount())
            continue;
        const std::uint32_t begin = file.lineStart(line);
        gpu::LineSource place{0, {i, begin, begin + static_cast<std::uint32_t>(file.lineText(line).size())}, 0};
        for (const gpu::LineSource& known : program_.lines)
            if (known.source.file == i && file.lineColumn(known.source.begin).line == line) {
                place.source = known.source;
                place.op = known.op;
                if (known.op != 0)
                    break;
            }
        return place;
    }
    return {};
}

}  // namespace tw::nvrtc
