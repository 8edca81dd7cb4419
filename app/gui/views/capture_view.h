// The base of the views over a capture. Without one they say how to get one; with an old one they are dimmed and say so.
#pragma once

#include "app/gui/models/profile_rows.h"
#include "app/gui/session/profile_session.h"
#include "app/gui/views/view.h"

namespace tw::gui {

class TwinPanel;

class CaptureView : public View {
    Q_OBJECT

public:
    // `what`: what appears here, as the start of a sentence: "The roofline".
    CaptureView(const QString& name, const QString& title, const QString& iconName, const QString& what, ProfileSession& session,
                ViewContext context, QWidget* parent);
    [[nodiscard]] bool isSettled() const override { return !isShown() || !session_.isBusy(); }

protected:
    void makeContent() override {}  // the panel, with the first capture
    void applyTheme() override;
    void refresh() override;
    virtual TwinPanel* makePanel() = 0;  // once, when first shown with a capture that has something for it
    virtual void showCapture(const capture::Capture& capture) = 0;
    // Why a capture has nothing for this view; empty if it has.
    [[nodiscard]] virtual QString missing(const capture::Capture& capture) const;
    virtual void colorPanel() {}  // in theme()

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

private:
    QString what_;
};

[[nodiscard]] MeaningColors meaningColors(const Theme& theme);

}  // namespace tw::gui
