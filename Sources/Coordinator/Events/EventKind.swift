/// The type of an event as a small number, for counting (contract: domain, section 3).
package enum EventKind: Int, Sendable, CaseIterable {
    case bridge
    case deviceCapabilities, deviceOrientation, deviceInterface, deviceScreen, deviceSafeArea
    case deviceTab, deviceKeyboard, deviceLifecycle, devicePip, deviceNavigation
    case deviceDismissed, deviceDisappeared, deviceReport
    case playerLoad, playerClose, playerSources, playerSource
    case fullscreenSet, fullscreenToggle
    case pipStart, pipStop, pipToggle, pipButton
    case betslipOpen, betslipAdd, betslipRemove, betslipUpdate, betslipClose, betslipCancel
    case betslipPlace, betslipSettle
    case widgetUpdate, themeSet, localeSet, loginComplete
    /// No event of the contract; clients may name as many of these as they like.
    case other

    /// The event's `type`.
    package var name: String {
        switch self {
        case .bridge: "bridge"
        case .deviceCapabilities: "device.capabilities"
        case .deviceOrientation: "device.orientation"
        case .deviceInterface: "device.interface"
        case .deviceScreen: "device.screen"
        case .deviceSafeArea: "device.safeArea"
        case .deviceTab: "device.tab"
        case .deviceKeyboard: "device.keyboard"
        case .deviceLifecycle: "device.lifecycle"
        case .devicePip: "device.pip"
        case .deviceNavigation: "device.navigation"
        case .deviceDismissed: "device.dismissed"
        case .deviceDisappeared: "device.disappeared"
        case .deviceReport: "device.report"
        case .playerLoad: "player.load"
        case .playerClose: "player.close"
        case .playerSources: "player.sources"
        case .playerSource: "player.source"
        case .fullscreenSet: "fullscreen.set"
        case .fullscreenToggle: "fullscreen.toggle"
        case .pipStart: "pip.start"
        case .pipStop: "pip.stop"
        case .pipToggle: "pip.toggle"
        case .pipButton: "pip.button"
        case .betslipOpen: "betslip.open"
        case .betslipAdd: "betslip.add"
        case .betslipRemove: "betslip.remove"
        case .betslipUpdate: "betslip.update"
        case .betslipClose: "betslip.close"
        case .betslipCancel: "betslip.cancel"
        case .betslipPlace: "betslip.place"
        case .betslipSettle: "betslip.settle"
        case .widgetUpdate: "widget.update"
        case .themeSet: "theme.set"
        case .localeSet: "locale.set"
        case .loginComplete: "login.complete"
        case .other: "other"
        }
    }

    /// The kinds by the length of their names: few are left to compare.
    private static let byLength: [[(name: String, kind: EventKind)]] = {
        var table: [[(name: String, kind: EventKind)]] = []
        for kind in allCases {
            while table.count <= kind.name.utf8.count { table.append([]) }
            table[kind.name.utf8.count].append((kind.name, kind))
        }
        return table
    }()

    /// The kind with this `type`, for events that could not be decoded.
    package init(named type: String?) {
        guard let type, Self.byLength.indices.contains(type.utf8.count) else {
            self = .other
            return
        }
        let candidates = Self.byLength[type.utf8.count]
        self = candidates.first { $0.name.hasSameBytes(as: type) }?.kind ?? .other
    }
}

extension Event {
    /// The event's type.
    package var kind: EventKind {
        switch self {
        case .bridge: .bridge
        case .device(let fact): fact.kind
        case .player(.load): .playerLoad
        case .player(.close): .playerClose
        case .player(.sources): .playerSources
        case .player(.source): .playerSource
        case .fullscreen(.set): .fullscreenSet
        case .fullscreen(.toggle): .fullscreenToggle
        case .pip(.start): .pipStart
        case .pip(.stop): .pipStop
        case .pip(.toggle): .pipToggle
        case .pip(.button): .pipButton
        case .betslip(let command): command.kind
        case .widgetUpdate: .widgetUpdate
        case .setTheme: .themeSet
        case .setLocale: .localeSet
        case .loginComplete: .loginComplete
        }
    }
}

extension DeviceFact {
    fileprivate var kind: EventKind {
        switch self {
        case .capabilities: .deviceCapabilities
        case .orientation: .deviceOrientation
        case .interface: .deviceInterface
        case .geometry(let geometry): geometry.screen == nil ? .deviceSafeArea : .deviceScreen
        case .tab: .deviceTab
        case .keyboard: .deviceKeyboard
        case .lifecycle: .deviceLifecycle
        case .pip: .devicePip
        case .navigation: .deviceNavigation
        case .dismissed: .deviceDismissed
        case .disappeared: .deviceDisappeared
        case .report: .deviceReport
        }
    }
}

extension BetslipCommand {
    fileprivate var kind: EventKind {
        switch self {
        case .open: .betslipOpen
        case .add: .betslipAdd
        case .remove: .betslipRemove
        case .update: .betslipUpdate
        case .close: .betslipClose
        case .cancel: .betslipCancel
        case .place: .betslipPlace
        case .settle: .betslipSettle
        }
    }
}
