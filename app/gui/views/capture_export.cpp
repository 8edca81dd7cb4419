#include "app/gui/views/capture_export.h"

#include <QFileDialog>
#include <QMessageBox>

#include "profiler/capture/json.h"
#include "profiler/report/csv.h"
#include "profiler/report/html.h"
#include "profiler/store/file.h"
#include "profiler/store/twr.h"

namespace tw::gui {

QString exportCapture(const capture::Capture& capture, const capture::Capture* baseline, const QString& path)
{
    const auto write = [&]() -> tl::expected<void, std::string> {
        const std::string name = path.toStdString();
        if (path.endsWith(QLatin1String(".html"), Qt::CaseInsensitive))
            return store::writeWhole(name, report::toHtml(capture, baseline));
        if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive))
            return store::writeWhole(name, report::toCsv(capture));
        if (path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive))
            return store::writeWhole(name, capture::toJson(capture));
        return store::writeTwr(name, capture);
    };
    const auto written = write();
    return written ? QString() : QString::fromStdString(written.error());
}

void askAndExportCapture(const capture::Capture& capture, const capture::Capture* baseline, QWidget* parent)
{
    const QString name = QString::fromStdString(capture.kernel.empty() ? "profile" : capture.kernel) + QStringLiteral(".twr");
    QString chosen;
    QString path = QFileDialog::getSaveFileName(parent, QWidget::tr("Export the profile"), name,
                                                QWidget::tr("Capture (*.twr);;Page (*.html);;Table (*.csv);;JSON (*.json)"), &chosen);
    if (path.isEmpty())
        return;
    if (!path.contains(QLatin1Char('.')))
        path += chosen.section(QLatin1Char('*'), 1).section(QLatin1Char(')'), 0, 0);
    if (const QString problem = exportCapture(capture, baseline, path); !problem.isEmpty())
        QMessageBox::warning(parent, QWidget::tr("Export"), problem);
}

}  // namespace tw::gui
