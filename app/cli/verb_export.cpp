#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include <fmt/core.h>

#include "app/cli/png.h"
#include "app/cli/stored_run.h"
#include "app/cli/verbs.h"
#include "profiler/capture/json.h"
#include "profiler/report/charts.h"
#include "profiler/report/csv.h"
#include "profiler/report/html.h"
#include "profiler/report/style.h"
#include "profiler/store/file.h"
#include "profiler/store/twr.h"
#include "profiler/timeline/perfetto.h"

namespace tw::cli {
namespace {

// Empty: the capture has nothing to show in this format.
using Writer = std::string (*)(const capture::Capture&, const Options&);
struct Format {
    const char* name;
    bool isBinary;
    Writer write;  // of png: what it is drawn from
};

struct View {
    const char* name;
    std::string (*draw)(const capture::Capture&);
};
const View kViews[] = {
    {"roofline", [](const capture::Capture& c) { return report::rooflineChart(c.roofline); }},
    {"timeline", [](const capture::Capture& c) { return c.timelines.empty() ? std::string() : report::timelineChart(c.timelines.front()); }},
    {"headline", report::headlineChart},
    {"stalls", report::stallChart},
    {"series", [](const capture::Capture& c) { return report::seriesChart(c.series); }},
};

std::string drawing(const capture::Capture& capture, const Options& options)
{
    for (const View& view : kViews)
        if (options.view == view.name || (options.view.empty() && &view == std::begin(kViews)))
            return view.draw(capture);
    return {};
}

std::string picture(const capture::Capture& capture, const Options& options)
{
    const std::string drawn = drawing(capture, options);
    return drawn.empty() ? drawn : report::standalone(drawn);
}

bool isView(const std::string& name)
{
    return name.empty() || std::any_of(std::begin(kViews), std::end(kViews), [&](const View& view) { return name == view.name; });
}

std::string page(const capture::Capture& capture, const Options& options)
{
    const auto baseline = openBaseline(options.files.front(), capture, options);
    return report::toHtml(capture, baseline ? &*baseline : nullptr);
}

const Format kFormats[] = {
    {"html", false, page},
    {"csv", false, [](const capture::Capture& c, const Options&) { return report::toCsv(c); }},
    {"json", false, [](const capture::Capture& c, const Options&) { return capture::toJson(c) + "\n"; }},
    {"svg", false, picture},
    {"png", true, drawing},
    {"perfetto", false, [](const capture::Capture& c, const Options&) { return timeline::toPerfetto(c); }},
    {"twr", true, [](const capture::Capture& c, const Options&) { return store::toTwr(c); }},
};

std::string formatNames()
{
    std::string out;
    for (const Format& format : kFormats)
        out += (out.empty() ? "" : ", ") + std::string(format.name);
    return out;
}

// --format, else the ending of --output, else JSON; null for a word that is none.
const Format* chosenFormat(const Options& options)
{
    const std::string ending = std::filesystem::path(options.output).extension().string();
    std::string name = !options.format.empty() ? options.format : ending.size() > 1 ? ending.substr(1) : "json";
    for (const Format& format : kFormats)
        if (name == format.name)
            return &format;
    return nullptr;
}

int fail(Report& report, std::string message, Code code = Code::kUsage)
{
    report.fail(code, std::move(message));
    return kUsage;
}

}  // namespace

int runExport(const Options& options, Report& report, std::stop_token)
{
    const Format* format = chosenFormat(options);
    if (!format)
        return fail(report, fmt::format("--format takes {}; not {}", formatNames(), options.format.empty() ? "the ending of " + options.output : options.format));
    if (format->isBinary && options.output.empty())
        return fail(report, fmt::format("--format {} needs --output FILE", format->name));
    if (!isView(options.view))
        return fail(report, fmt::format("--view takes roofline, timeline, headline, stalls or series; not {}", options.view));
    const auto capture = openRun(options.files.front(), options);
    if (!capture)
        return fail(report, capture.error(), Code::kFile);
    const std::string bytes = format->write(*capture, options);
    if (bytes.empty())
        return fail(report, fmt::format("the capture has nothing to draw as {}", options.view.empty() ? "roofline" : options.view));
    report.json()["run"] = options.files.front();
    report.json()["kernel"] = capture->kernel;
    report.json()["instance"] = capture->instance;
    report.json()["device"] = capture->environment.device;
    report.json()["format"] = format->name;
    if (format->name != std::string_view("png"))
        report.json()["bytes"] = bytes.size();
    if (options.output.empty()) {
        report.json()["text"] = bytes;
        report.text() = bytes;
        return kFine;
    }
    if (format->name == std::string_view("png")) {
        if (const auto drawn = writePng(bytes, options.output); !drawn) {
            report.fail(drawn.error().starts_with("not supported: ") ? Code::kNotSupported : Code::kFile, drawn.error());
            return drawn.error().starts_with("not supported: ") ? kCannot : kUsage;
        }
    } else if (const auto written = store::writeWhole(options.output, bytes); !written) {
        return fail(report, written.error(), Code::kFile);
    }
    report.json()["path"] = options.output;
    return kFine;
}

}  // namespace tw::cli
