package import Coordinator

/// A page in a modelled device's web view: what it has become of, and what it was told by scripts.
package struct ModelledPage: Sendable, Equatable {
    /// The generation, as the session counts.
    package let generation: UInt64
    /// Where it comes from, or counts as coming from.
    package let address: String?
    /// Whether its document is there, so that scripts reach it.
    package private(set) var isUp = false
    /// What its scripts told it last, by the script's name.
    package private(set) var told: [String: String] = [:]

    /// A page that is on its way.
    package init(generation: UInt64, address: String?) {
        self.generation = generation
        self.address = address
    }

    /// Its document is there.
    package mutating func arrive() { isUp = true }

    /// Evaluates one of the vendor's scripts; before the document is there it reaches nothing.
    ///
    /// - Returns: the script's name, nil when the vendor has no such script.
    package mutating func evaluate(_ script: String, knowing marks: [ScriptMark]) -> String? {
        guard let mark = marks.first(where: { script.contains($0.text) }) else { return nil }
        if isUp { told[mark.name] = mark.value(script) }
        return mark.name
    }
}

/// How a page recognises one of its vendor's scripts, and what must have become of it in the end.
package struct ScriptMark: Sendable {
    /// The script's name (contract: domain, section 4.7, merge keys).
    package var name: String
    /// A text that only this script has.
    package var text: String
    /// What the script tells the page.
    package var value: @Sendable (_ script: String) -> String
    /// What the page believes before it is told something.
    package var initially: String?
    /// What the page must have been told, by the session's state; nil where that is not known.
    package var expected: @Sendable (_ state: JSON) -> String?

    /// A script whose effect is not compared, unless `expected` is given.
    package init(
        _ name: String, _ text: String, initially: String? = nil,
        value: @escaping @Sendable (String) -> String = { _ in "" },
        expected: @escaping @Sendable (JSON) -> String? = { _ in nil }
    ) {
        self.name = name
        self.text = text
        self.value = value
        self.initially = initially
        self.expected = expected
    }

    /// The text between the last `start` in a script and the first `end` after it.
    package static func between(_ start: String, _ end: String) -> @Sendable (String) -> String {
        { script in
            let parts = script.split(separator: start, omittingEmptySubsequences: false)
            guard parts.count > 1, let rest = parts.last else { return "" }
            let inner = rest.split(
                separator: end, maxSplits: 1, omittingEmptySubsequences: false)
            return inner.first.map(String.init) ?? ""
        }
    }

    /// The string whose JSON text stands there.
    package static func string(
        between start: String, _ end: String
    ) -> @Sendable (String) -> String {
        let text = between(start, end)
        return { script in (try? JSONParser.parse(text: text(script)))?.root.string ?? "no JSON" }
    }
}
