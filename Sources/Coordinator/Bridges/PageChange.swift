/// Something that the page is told by a script of its vendor (contract: domain, sections 4.7 and 5).
package enum PageChange: Sendable, Equatable {
    /// Full screen begins or ends.
    case fullscreen(Bool)
    /// The player in the page is to close.
    case close
    /// Another theme, by the vendor's name for it.
    case theme(String)
    /// Another language, BCP 47.
    case locale(String)
    /// Whether the page shows its picture-in-picture button.
    case pipButton(Bool)
    /// Whether the page hides what lies over the picture.
    case pipOverlay(hidden: Bool)
    /// Other properties of the widget at a CSS selector.
    case widget(selector: String, props: JSONObject)
    /// What the app tells every new document about itself.
    case appConfig(locale: String)

    /// Which script it is: a later one of the same name replaces an earlier one.
    package var script: EffectOrder.Script {
        switch self {
        case .fullscreen: .fullscreen
        case .close: .close
        case .theme: .theme
        case .locale: .locale
        case .pipButton: .pipButton
        case .pipOverlay: .pipOverlay
        case .widget(let selector, _): .widget(selector: selector)
        case .appConfig: .appConfig
        }
    }
}
