extension EffectOrder.Script: Storable {}

/// The words for the kinds of effects in a store.
private enum StoredKind: String, Storable {
    case loadPage, evaluateJavaScript, setFullscreen, requestOrientation, hideKeyboard
    case setKeepAwake, reportFacts, placeBet, showToast, dismissPlayer
}

extension EffectOrder {
    /// Adds the order to a stored effect: its kind, and what it needs beside that.
    ///
    /// Orders that may carry a secret or somebody else's text are sealed.
    func store(in object: inout JSONObject, _ vault: Vault) {
        func add(_ kind: StoredKind, _ name: String? = nil, _ value: JSON = .null) {
            object.append("kind", .string(kind.rawValue))
            if let name { object.append(name, value) }
        }
        switch self {
        case .loadPage(let page): add(.loadPage, "sealed", vault.seal(page.stored))
        case .evaluateJavaScript(let name, let script):
            var sealed = JSONObject()
            sealed.append("name", .string(name.rawValue))
            sealed.append("script", .string(script))
            add(.evaluateJavaScript, "sealed", vault.seal(sealed))
        case .setFullscreen(let on): add(.setFullscreen, "on", .bool(on))
        case .requestOrientation(let orientation):
            add(.requestOrientation, "orientation", .string(orientation.rawValue))
        case .hideKeyboard: add(.hideKeyboard)
        case .setKeepAwake(let on): add(.setKeepAwake, "on", .bool(on))
        case .reportFacts: add(.reportFacts)
        case .placeBet(let id, let slip):
            add(.placeBet, "placementId", .string(id))
            object.append("slip", slip.json)
        case .showToast(let toast): add(.showToast, "toast", toast.json)
        case .dismissPlayer: add(.dismissPlayer)
        }
    }

    /// Takes the order out of a stored effect.
    init(in fields: inout StoredFields, _ vault: Vault) throws(StorageFault) {
        let kind: StoredKind = try fields.required("kind")
        switch kind {
        case .loadPage:
            self = .loadPage(
                try fields.required("sealed") { (json) throws(StorageFault) in
                    try vault.open(json, as: Page.self)
                })
        case .evaluateJavaScript:
            let script = try fields.required("sealed") { (json) throws(StorageFault) in
                try vault.open(json, as: NamedScript.self)
            }
            self = .evaluateJavaScript(script.name, script.script)
        case .setFullscreen: self = .setFullscreen(try fields.required("on"))
        case .requestOrientation:
            self = .requestOrientation(try fields.required("orientation"))
        case .hideKeyboard: self = .hideKeyboard
        case .setKeepAwake: self = .setKeepAwake(try fields.required("on"))
        case .reportFacts: self = .reportFacts
        case .placeBet:
            self = .placeBet(
                id: try fields.required("placementId"), try fields.required("slip"))
        case .showToast: self = .showToast(try fields.required("toast"))
        case .dismissPlayer: self = .dismissPlayer
        }
    }
}

/// What is sealed of a script.
private struct NamedScript: Storable {
    var name: EffectOrder.Script
    var script: String

    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        name = try fields.required("name")
        script = try fields.required("script")
        try fields.end()
    }
}
