#include "app/gui/windows/options.h"

#include <QCommandLineParser>
#include <QRegularExpression>

namespace tw::gui {
namespace {

void readValues(const QCommandLineParser& parser, Options& options)
{
    const auto fail = [&](const QString& message) {
        options.answer = QStringLiteral("tilewright: ") + message + QLatin1Char('\n');
        options.exitCode = 2;
    };
    const auto oneOf = [&](const QString& name, const QStringList& allowed) {
        const QString value = parser.value(name);
        if (!value.isEmpty() && !allowed.contains(value))
            fail(QStringLiteral("--%1 takes %2, not \"%3\"").arg(name, allowed.join(QStringLiteral(", ")), value));
        return value;
    };
    options.files = parser.positionalArguments();
    options.shot = parser.value(QStringLiteral("shot"));
    options.svg = parser.value(QStringLiteral("svg"));
    if (!options.svg.isEmpty() && options.shot.isEmpty())
        fail(QStringLiteral("--svg needs --shot OUT.png"));
    options.theme = oneOf(QStringLiteral("theme"), {QStringLiteral("light"), QStringLiteral("dark"), QStringLiteral("system")});
    options.layout = oneOf(QStringLiteral("layout"), {QStringLiteral("author"), QStringLiteral("profile"), QStringLiteral("teach")});
    options.focus = oneOf(QStringLiteral("focus"), viewNames());
    options.target = parser.value(QStringLiteral("target"));
    options.safe = parser.isSet(QStringLiteral("safe"));
    const QString kernel = parser.value(QStringLiteral("kernel"));
    options.kernel = kernel.section(QLatin1Char('@'), 0, 0);
    options.instance = kernel.section(QLatin1Char('@'), 1);
    if (const QString size = parser.value(QStringLiteral("size")); !size.isEmpty()) {
        const auto match = QRegularExpression(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$")).match(size);
        if (!match.hasMatch())
            fail(QStringLiteral("--size takes WIDTHxHEIGHT such as 1600x1000, not \"%1\"").arg(size));
        options.size = {match.captured(1).toInt(), match.captured(2).toInt()};
        options.sizeGiven = true;
    }
}

}  // namespace

QStringList viewNames()
{
    QStringList names;
    for (const char* name : {"editor", "kernels", "passes", "cuda", "ptx", "sass", "llvm", "assembly", "resources", "layout", "memory", "access",
                             "problems", "run", "tensor", "help", "profile", "findings", "roofline", "stalls", "counters", "timeline",
                             "memoryflow", "history", "compare", "tune"})
        names << QString::fromLatin1(name);
    return names;
}

Options parseOptions(const QStringList& arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("A workbench for GPU tile kernels."));
    parser.addPositionalArgument(QStringLiteral("file"), QStringLiteral("kernel files to open"), QStringLiteral("[FILE.py…]"));
    const auto help = parser.addHelpOption();
    const auto version = parser.addVersionOption();
    parser.addOptions({{QStringLiteral("shot"), QStringLiteral("save a picture of the window and exit"), QStringLiteral("OUT.png")},
                       {QStringLiteral("svg"), QStringLiteral("with --shot: save this picture instead of the window"), QStringLiteral("IN.svg")},
                       {QStringLiteral("size"), QStringLiteral("size of the window"), QStringLiteral("WxH")},
                       {QStringLiteral("theme"), QStringLiteral("light, dark or system"), QStringLiteral("theme")},
                       {QStringLiteral("layout"), QStringLiteral("author, profile or teach"), QStringLiteral("layout")},
                       {QStringLiteral("focus"), QStringLiteral("view to bring to the front"), QStringLiteral("view")},
                       {QStringLiteral("kernel"), QStringLiteral("kernel to show"), QStringLiteral("NAME[@INSTANCE]")},
                       {QStringLiteral("target"), QStringLiteral("what to compile for, such as sm_90a or cpu"), QStringLiteral("target")},
                       {QStringLiteral("list-views"), QStringLiteral("print the names that --focus takes")},
                       {QStringLiteral("safe"), QStringLiteral("start without restoring the session")}});
    Options options;
    if (!parser.parse(arguments)) {
        options.answer = QStringLiteral("tilewright: %1\n").arg(parser.errorText());
        options.exitCode = 2;
    } else if (parser.isSet(help)) {
        options.answer = parser.helpText();
    } else if (parser.isSet(version)) {
        options.answer = QStringLiteral("tilewright 0.1.0\n");
    } else if (parser.isSet(QStringLiteral("list-views"))) {
        options.answer = viewNames().join(QLatin1Char('\n')) + QLatin1Char('\n');
    } else {
        readValues(parser, options);
    }
    return options;
}

}  // namespace tw::gui
