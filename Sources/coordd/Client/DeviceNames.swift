package import Coordinator

/// Takes what a token adds to the names of devices away from what the daemon says.
package struct DeviceNames: Sendable {
    private let prefix: String

    /// Names that begin so, by their bytes.
    package init(prefix: String) {
        self.prefix = prefix
    }

    /// An event with the names that the devices were given.
    package func given(in event: LinkEvent) -> LinkEvent {
        switch event {
        case .push(.publication(let channel, let publication)):
            .push(.publication(channel: channel, given(in: publication)))
        case .push, .opened, .ended: event
        }
    }

    /// An answer with the names that the devices were given.
    package func given(in body: Reply.Body) -> Reply.Body {
        switch body {
        case .subscribe(var result):
            result.data = result.data.map { given(in: $0) }
            result.publications = result.publications.map { given(in: $0) }
            return .subscribe(result)
        case .history(var result):
            result.publications = result.publications.map { given(in: $0) }
            return .history(result)
        case .rpc(let data): return .rpc(data: given(in: data))
        case .error, .connect, .unsubscribe, .publish, .presence, .presenceStats, .refresh,
            .subRefresh:
            return body
        }
    }

    private func given(in publication: Publication) -> Publication {
        Publication(offset: publication.offset, data: given(in: publication.data))
    }

    private func given(in data: [UInt8]) -> [UInt8] {
        guard let document = try? JSONParser.parse(data.span, maximumDepth: Self.maximumDepth)
        else { return data }
        return JSONWriter.bytes(of: given(in: document.root))
    }

    private static let maximumDepth = 64

    private func given(in value: JSON) -> JSON {
        switch value {
        case .string(let text):
            guard text.utf8.starts(with: prefix.utf8) else { return value }
            return .string(String(Substring(text.utf8.dropFirst(prefix.utf8.count))))
        case .array(let elements): return .array(elements.map { given(in: $0) })
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map { member in
                        JSONObject.Member(key: member.key, value: given(in: member.value))
                    }))
        case .null, .bool, .number: return value
        }
    }
}
