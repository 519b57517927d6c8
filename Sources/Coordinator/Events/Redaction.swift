/// Takes secrets out of an event before anybody but the stage hears of it (contract: domain,
/// section 4.6).
package enum Redaction {
    /// Members that are secret wherever an event of this type has them.
    private static let secrets: [String: Set<String>] = [
        "player.load": ["apiKey", "user", "password", "userEmail", "accessToken"],
        "login.complete": ["accessToken"],
    ]

    /// The event without its secrets; the same value when it has none.
    package static func publishable(_ event: JSON, policy: Policy) -> JSON {
        let names = event["type"]?.string.flatMap { secrets[$0] } ?? []
        return clean(event, names, policy.secretQueryParameters)
    }

    /// Content without its secrets, as the state keeps it.
    static func content(_ content: JSONObject, policy: Policy) -> JSONObject {
        let cleaned = clean(
            .object(content), secrets["player.load"] ?? [], policy.secretQueryParameters)
        return cleaned.object ?? JSONObject()
    }

    /// The text without the secret query parameters of the http(s) URLs in it.
    static func url(_ text: String, policy: Policy) -> String {
        clean(text, policy.secretQueryParameters)
    }

    private static func clean(
        _ value: JSON, _ names: Set<String>, _ parameters: Set<String>
    ) -> JSON {
        switch value {
        case .null, .bool, .number: return value
        case .string(let text): return .string(clean(text, parameters))
        case .array(let elements):
            return .array(elements.map { clean($0, names, parameters) })
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.compactMap { member in
                        guard !names.contains(member.key) else { return nil }
                        return JSONObject.Member(
                            key: member.key, value: clean(member.value, names, parameters))
                    }))
        }
    }

    private static func clean(_ text: String, _ parameters: Set<String>) -> String {
        // Nearly every text has no address in it.
        guard text.utf8.contains(UInt8(ascii: "?")), text.utf8.contains(UInt8(ascii: ":")) else {
            return text
        }
        // Bytes, since a Character can join "?" or "=" with a combining mark behind it.
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var position = 0
        while position < bytes.count {
            guard isAddress(bytes[position...]) else {
                output.append(bytes[position])
                position += 1
                continue
            }
            // An address that is the whole text may have anything in it, blanks too.
            let end =
                position == 0
                ? bytes.count : bytes[position...].firstIndex(where: endsAddress) ?? bytes.count
            output += withoutSecrets(bytes[position..<end], parameters)
            position = end
        }
        return output == bytes ? text : String(decoding: output, as: UTF8.self)
    }

    private static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
        ["http://", "https://"].contains { scheme in
            let start = bytes.prefix(scheme.utf8.count).map { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            }
            return start.elementsEqual(scheme.utf8)
        }
    }

    /// Where an address in the middle of a text ends.
    private static func endsAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"):
            true
        default: false
        }
    }

    /// The address without its secret parameters, behind "?" or behind "#", as some pages have it.
    private static func withoutSecrets(
        _ address: ArraySlice<UInt8>, _ parameters: Set<String>
    ) -> [UInt8] {
        var output: [UInt8] = []
        for (index, part) in address.split(
            separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false
        ).enumerated() {
            if index > 0 { output.append(UInt8(ascii: "#")) }
            guard let mark = part.firstIndex(of: UInt8(ascii: "?")) else {
                output += part
                continue
            }
            output += part[..<mark]
            let pairs = part[(mark + 1)...].split(
                separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            let kept = pairs.filter { pair in
                let name = pair.prefix { $0 != UInt8(ascii: "=") }
                return !parameters.contains(percentDecoded(name).lowercased())
            }
            if !kept.isEmpty { output.append(UInt8(ascii: "?")) }
            output += kept.joined(separator: [UInt8(ascii: "&")])
        }
        return output
    }

    /// A name as the server behind the URL will read it.
    private static func percentDecoded(_ text: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONObject {
    /// The object without null members, at any depth.
    var withoutNulls: JSONObject {
        JSONObject(
            members.filter { !$0.value.isNull }.map {
                Member(key: $0.key, value: $0.value.withoutNulls)
            })
    }
}

extension JSON {
    fileprivate var withoutNulls: JSON {
        switch self {
        case .null, .bool, .number, .string: self
        case .array(let elements): .array(elements.map(\.withoutNulls))
        case .object(let object): .object(object.withoutNulls)
        }
    }
}
