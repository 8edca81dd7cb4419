// The base of the views over a capture. Their widgets are made when they are first shown, so the window opens as quickly as without
// them. Without a capture they say how to get one; with an old one they are dimmed and say so.
#pragma once

#include "app/gui/models/profile_rows.h"
#include "app/gui/session/profile_session.h"
#include "app/gui/views/view.h"
#include "app/gui/widgets/theme.h"

namespace tw::gui {

class TwinPanel;

class CaptureView : public View {
    Q_OBJECT

public:
    // `what`: what appears here, as the start of a sentence: "The roofline".
    CaptureView(const QString& name, const QString& title, const QString& iconName, const QString& what, ProfileSession& session,
                ViewContext context, QWidget* parent);
    void setTheme(const Theme& theme, double codeSize) override;
    [[nodiscard]] bool isSettled() const override { return !isVisible() || !session_.isBusy(); }

protected:
    void refresh() override;
    virtual TwinPanel* makePanel() = 0;  // once, when first shown
    virtual void showCapture(const capture::Capture& capture) = 0;
    // Why a capture has nothing for this view; empty if it has.
    [[nodiscard]] virtual QString missing(const capture::Capture& capture) const;
    virtual void applyTheme(const Theme&) {}

    // What the shown capture is compared with; null: nothing, or it is the baseline itself.
    [[nodiscard]] const capture::Capture* baseline() const;
    void reveal(const SourceRange& range, int line, std::uint32_t op);
    // Caption with what is shown and how old it is: "gemm on sim, simulated; older than the text".
    void setCaption(const QString& text);
    // An absence of the capture: its reason, or `otherwise`.
    [[nodiscard]] static QString absence(const capture::Capture& capture, const char* part, const QString& otherwise);

    ProfileSession& session_;
    TwinPanel* panel_ = nullptr;
    MeaningColors colors_;
    Theme theme_;

private:
    QString what_;
};

[[nodiscard]] MeaningColors meaningColors(const Theme& theme);

}  // namespace tw::gui
