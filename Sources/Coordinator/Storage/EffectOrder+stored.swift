/// The words for the kinds of effects in a store.
private enum StoredKind: String, Storable {
    case loadPage, evaluateJavaScript, setFullscreen, requestOrientation, hideKeyboard
    case setKeepAwake, reportFacts, placeBet, showToast, startPictureInPicture
    case stopPictureInPicture, presentPlayer, presentShare, presentLogin, openURL, showProduct
    case showItem, addToCalendar, dismissPlayer
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
        func one(_ name: String, _ value: JSON) -> JSONObject {
            JSONObject([.init(key: name, value: value)])
        }
        switch self {
        case .loadPage(let page): add(.loadPage, "sealed", vault.seal(page.stored))
        case .evaluateJavaScript(let script, let text, let delay):
            var sealed = JSONObject()
            sealed.append("name", .string(script.name))
            sealed.append("script", .string(text))
            sealed.append("afterMs", ifPresent: delay.map { .integer($0) })
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
        case .startPictureInPicture: add(.startPictureInPicture)
        case .stopPictureInPicture: add(.stopPictureInPicture)
        case .presentPlayer: add(.presentPlayer)
        case .presentShare(let url):
            add(.presentShare, "sealed", vault.seal(one("url", .string(url))))
        case .presentLogin(let url):
            add(.presentLogin, "sealed", vault.seal(one("url", .string(url))))
        case .openURL(let url): add(.openURL, "sealed", vault.seal(one("url", .string(url))))
        case .showProduct(let data): add(.showProduct, "sealed", vault.seal(one("data", data)))
        case .showItem(let target, let data):
            var sealed = JSONObject([.init(key: "target", value: .string(target))])
            sealed.append("data", ifPresent: data)
            add(.showItem, "sealed", vault.seal(sealed))
        case .addToCalendar(let entry): add(.addToCalendar, "sealed", vault.seal(entry.fields))
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
            self = .evaluateJavaScript(
                script.name, script.script, afterMilliseconds: script.delay)
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
        case .startPictureInPicture: self = .startPictureInPicture
        case .stopPictureInPicture: self = .stopPictureInPicture
        case .presentPlayer: self = .presentPlayer
        case .presentShare: self = .presentShare(url: try Self.url(&fields, vault))
        case .presentLogin: self = .presentLogin(returnURL: try Self.url(&fields, vault))
        case .openURL: self = .openURL(try Self.url(&fields, vault))
        case .showProduct:
            self = .showProduct(
                try Self.sealed(&fields, vault) { (sealed) throws(StorageFault) in
                    try sealed.required("data", { (json) throws(StorageFault) in json })
                })
        case .showItem:
            self = try Self.sealed(&fields, vault) { (sealed) throws(StorageFault) in
                .showItem(
                    target: try sealed.required("target"),
                    data: try sealed.optional("data") { (json) throws(StorageFault) in json })
            }
        case .addToCalendar:
            self = .addToCalendar(
                try fields.required("sealed") { (json) throws(StorageFault) in
                    try vault.open(json, as: CalendarEntry.self)
                })
        case .dismissPlayer: self = .dismissPlayer
        }
    }
}

extension EffectOrder {
    private static func url(
        _ fields: inout StoredFields, _ vault: Vault
    ) throws(StorageFault) -> String {
        try sealed(&fields, vault) { (sealed) throws(StorageFault) in try sealed.required("url") }
    }

    /// What `read` finds in the sealed object, which has nothing else.
    private static func sealed<Value>(
        _ fields: inout StoredFields, _ vault: Vault,
        _ read: (inout StoredFields) throws(StorageFault) -> Value
    ) throws(StorageFault) -> Value {
        try fields.required("sealed") { (json) throws(StorageFault) in
            var sealed = try StoredFields(.object(try vault.openObject(json)))
            let value = try read(&sealed)
            try sealed.end()
            return value
        }
    }
}

extension EffectOrder.CalendarEntry: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        title = try fields.required("title")
        start = try fields.required("start")
        end = try fields.required("end")
        url = try fields.optional("url")
        description = try fields.optional("description")
        try fields.end()
    }
}

extension EffectOrder.Script: Storable {
    init(stored json: JSON) throws(StorageFault) {
        guard let name = json.string, let script = Self(name: name) else {
            throw .expected("the name of a script", not: json)
        }
        self = script
    }
}

/// What is sealed of a script.
private struct NamedScript: Storable {
    var name: EffectOrder.Script
    var script: String
    var delay: Int?

    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        name = try fields.required("name")
        script = try fields.required("script")
        delay = try fields.optional("afterMs")
        try fields.end()
    }
}
