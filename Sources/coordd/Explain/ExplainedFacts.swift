package import Coordinator

/// What a publication tells, as the rows of the table ask for it.
package struct ExplainedFacts: Sendable {
    /// The event, without secrets.
    package let event: JSON
    /// Who sent it.
    package let by: JSON?
    /// What changed; nil for a signal.
    package let patch: JSON?
    /// What was skipped.
    package let warnings: [JSON]

    /// Facts of one revision or signal.
    package init(event: JSON, by: JSON?, patch: JSON?, warnings: [JSON]) {
        self.event = event
        self.by = by
        self.patch = patch
        self.warnings = warnings
    }

    /// The facts of a publication's data.
    package init(publication: JSON) {
        self.init(
            event: publication["event"] ?? .null, by: publication["by"],
            patch: publication["patch"], warnings: publication["warnings"]?.array ?? [])
    }

    /// The event's type.
    package var type: String { event["type"]?.string ?? "?" }

    /// What a part of the state becomes; nil when it does not change.
    package func change(at path: String) -> JSON? { Self.value(at: path, in: patch) }

    /// A member of the event.
    package func member(_ path: String) -> JSON? { Self.value(at: path, in: event) }

    private static func value(at path: String, in root: JSON?) -> JSON? {
        path.split(separator: ".").reduce(root) { value, name in
            if let index = Int(name), let array = value?.array {
                return array.indices.contains(index) ? array[index] : nil
            }
            return value?[String(name)]
        }
    }

    /// The words of a row with its `{…}` filled in, harmless for a terminal.
    package func filled(_ words: String, at path: String) -> String {
        var text = ""
        for (index, part) in words.split(separator: "{", omittingEmptySubsequences: false)
            .enumerated()
        {
            guard index > 0 else {
                text += part
                continue
            }
            let pieces = part.split(
                separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
            text += PlainText.escaped(cut(fact(String(pieces[0]), at: path)))
            text += pieces.dropFirst().joined()
        }
        return text
    }

    /// The fact with a name: `value`, `mode`, `held`, `prices`, `count`, `message`, or the path of a member of
    /// the event.
    private func fact(_ name: String, at path: String) -> String {
        switch name {
        case "value": Self.words(change(at: path))
        case "mode": Self.mode(change(at: "presentation.mode"))
        case "held": held
        case "prices": prices
        case "count": "\(change(at: path)?.array?.count ?? 0)"
        case "message": message
        default: Self.words(member(name) ?? change(at: name))
        }
    }

    private static func words(_ value: JSON?) -> String {
        switch value {
        case nil: "unknown"
        case .null?: "nothing"
        case .string(let text)?: text
        case let value?: PlainText.json(value)
        }
    }

    private static func mode(_ value: JSON?) -> String {
        switch value?.string {
        case "fullscreen": "full screen"
        case "pip": "small window"
        case let other: other ?? "as before"
        }
    }

    /// How the phone is held, as the rotation rule sees it.
    private var held: String {
        let side =
            change(at: "orientation.device") ?? member("orientation")
            ?? member("facts.orientation")
        switch side?.string {
        case "landscapeLeft", "landscapeRight": return "landscape"
        case "portrait", "portraitUpsideDown": return "portrait"
        case let other: return other ?? "as before"
        }
    }

    /// Such as `1.80 -> 1.85`, for the selections that have the event's price and had another before.
    private var prices: String {
        let price = member("decimalPrice") ?? member("body.payload.decimalPrice")
        let selections = change(at: "betslip.selections")?.array ?? []
        let moved = selections.compactMap { selection -> String? in
            guard let price = price?.string ?? price?.number?.text,
                selection["decimalPrice"]?.string == price
            else { return nil }
            return selection["previousPrice"]?.string.map {
                "\($0) -> \(selection["decimalPrice"]?.string ?? "none")"
            }
        }
        return moved.prefix(3).joined(separator: ", ")
            + (moved.count > 3 ? " and \(moved.count - 3) more" : "")
    }

    /// What a page calls its message.
    private var message: String {
        let body = event["body"]
        return body?["type"]?.string ?? body?["eventName"]?.string ?? event["handler"]?.string
            ?? "?"
    }

    /// Characters of one fact that are shown.
    private static let maximumFact = 48

    private func cut(_ text: String) -> String {
        text.count > Self.maximumFact ? text.prefix(Self.maximumFact - 1) + "…" : text
    }

    /// Whether a price on the slip is another than before.
    package var pricesMoved: Bool { !prices.isEmpty }
}
