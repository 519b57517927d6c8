import Coordinator
import TestSupport

/// The examples of one document, to be played against a server.
///
/// Blocks fenced as `json-lines` have lines `name → sent`, `name ← received` and `name ✕` (the
/// client goes away); a name is a connection, made when it first sends. The quoted lines of a `sh`
/// block are sent, too, by the client without a name. Pushes that a document leaves out are skipped.
struct DocumentedExamples {
    enum Kind: Character {
        case sends = "→"
        case receives = "←"
        case leaves = "✕"
    }

    struct Line {
        var number: Int
        var client: String
        var kind: Kind
        var text: String
    }

    private(set) var lines: [Line] = []

    init(_ document: String) {
        var fence: Substring?
        for (index, line) in document.split(
            separator: "\n", omittingEmptySubsequences: false
        ).enumerated() {
            if line.hasPrefix("```") {
                fence = fence == nil ? line.dropFirst(3) : nil
            } else if fence == "json-lines",
                let mark = line.firstIndex(where: { "→←✕".contains($0) }),
                let kind = Kind(rawValue: line[mark])
            {
                append(
                    index, String(line[..<mark].filter { $0 != " " }), kind,
                    String(line[line.index(after: mark)...].drop { $0 == " " }))
            } else if fence == "sh", line.hasPrefix("  '{"), let end = line.lastIndex(of: "'") {
                append(index, "", .sends, String(line[..<end].dropFirst(3)))
            }
        }
    }

    private mutating func append(_ index: Int, _ client: String, _ kind: Kind, _ text: String) {
        lines.append(Line(number: index + 1, client: client, kind: kind, text: text))
    }

    /// Plays all lines; gives what differs, at most one thing, since the rest hangs on it.
    func mismatch(port: UInt16) throws(RawClient.Failure) -> String? {
        var clients: [String: RawClient] = [:]
        var pattern = ExamplePattern()
        for line in lines {
            switch line.kind {
            case .sends:
                let text = pattern.bound(line.text)
                if let client = clients[line.client] {
                    client.send(text)
                } else {
                    let client = try RawClient(port: port)
                    client.send(text)
                    clients[line.client] = client
                }
            case .leaves: clients.removeValue(forKey: line.client)?.close()
            case .receives:
                guard let client = clients[line.client] else {
                    return "line \(line.number): nothing was sent before"
                }
                if let difference = Self.receive(line, from: client, &pattern) {
                    return "line \(line.number): \(difference)"
                }
                if line.text.contains(Self.disconnect) { clients[line.client] = nil }
            }
        }
        return nil
    }

    private static let disconnect = #"{"push":{"disconnect""#

    /// Reads until the line comes; only pushes may come before it.
    private static func receive(
        _ line: Line, from client: RawClient, _ pattern: inout ExamplePattern
    ) -> String? {
        while true {
            let received: String
            do throws(RawClient.Failure) {
                received = try client.line()
            } catch {
                return "\(error) instead of \(line.text)"
            }
            guard let difference = pattern.difference(line.text, received) else { return nil }
            guard received.hasPrefix(#"{"push""#), !received.hasPrefix(disconnect) else {
                return "\(difference), received \(received)"
            }
        }
    }
}
