internal import Coordinator

extension Policy {
    /// Takes over settings in the shape of the configuration file.
    mutating func configure(_ configuration: JSON) throws(Transcript.Fault) {
        for section in configuration.object?.members ?? [] {
            for setting in section.value.object?.members ?? [] {
                try set("\(section.key).\(setting.key)", setting.value)
            }
        }
    }

    private mutating func set(_ key: String, _ value: JSON) throws(Transcript.Fault) {
        switch key {
        case "betslip.confirm":
            guard let confirm = value.string.flatMap(Confirmation.init) else { break }
            return betslipConfirm = confirm
        case "vendors.genius":
            guard let selector = value["fullscreenSelector"]?.string else { break }
            return genius.fullscreenSelector = selector
        case "secrets.queryParameters":
            guard let names = value.array else { break }
            return secretQueryParameters = Set(names.compactMap { $0.string?.lowercased() })
        default:
            if key.hasPrefix("handlers.") {
                guard let vendor = value.string.flatMap(Vendor.init) else { break }
                return handlers[String(key.dropFirst("handlers.".count))] = vendor
            }
            guard let number = value.number?.signed else { break }
            return try set(key, number)
        }
        throw Transcript.Fault("configuration.\(key) is wrong")
    }

    private mutating func set(_ key: String, _ number: Int64) throws(Transcript.Fault) {
        switch key {
        case "betslip.deadlineSeconds": betslipDeadlineSeconds = number
        case "stage.graceSeconds": stageGraceSeconds = number
        case "bounds.outbox": outboxLimit = Int(number)
        case "bounds.selections": selectionLimit = Int(number)
        case "bounds.placements": placementLimit = Int(number)
        case "bounds.placementSeconds": placementSeconds = number
        case "bounds.toastMilliseconds": toastMilliseconds = number
        case "bounds.stateBytes": stateBytes = Int(number)
        case "bounds.contentBytes": contentBytes = Int(number)
        case "bounds.textBytes": textBytes = Int(number)
        default: throw Transcript.Fault("configuration.\(key) is unknown")
        }
    }
}
