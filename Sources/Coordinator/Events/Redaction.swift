/// Takes secrets out of an event before anybody but the stage hears of it (contract: domain,
/// section 4.6).
package enum Redaction {
    /// Members that are secret wherever an event of this type has them.
    private static let secrets: [(type: String, names: Set<String>)] = [
        ("player.load", contentSecrets), ("login.complete", ["accessToken"]),
    ]

    private static let contentSecrets: Set = [
        "apiKey", "user", "password", "userEmail", "accessToken",
    ]

    /// The event without its secrets; the same value when it has none.
    package static func publishable(_ event: JSON, policy: Policy) -> JSON {
        publishable(JSONDocument(root: event), policy: policy).root
    }

    /// The event without its secrets; the same document when it has none.
    static func publishable(_ event: JSONDocument, policy: Policy) -> JSONDocument {
        let type = event.tape.present("type", of: event.place)
        let names =
            type.flatMap { type in
                secrets.first { event.tape.isString($0.type, at: type) }?.names
            } ?? []
        guard !names.isEmpty || mayHoldAddress(event.bytes) else { return event }
        let tree = event.root
        guard mayHoldSecrets(tree, names) else { return event }
        return JSONDocument(root: cleaned(tree, names, policy.secretQueryParameters))
    }

    /// Content without its secrets, as the state keeps it.
    static func content(_ content: JSONObject, policy: Policy) -> JSONObject {
        let cleaned = clean(
            .object(content), contentSecrets, policy.secretQueryParameters)
        return cleaned.object ?? JSONObject()
    }

    /// The text without the secret query parameters of the http(s) URLs in it.
    static func url(_ text: String, policy: Policy) -> String {
        clean(text, policy.secretQueryParameters)
    }

    private static func clean(
        _ value: JSON, _ names: Set<String>, _ parameters: Set<String>
    ) -> JSON {
        mayHoldSecrets(value, names) ? cleaned(value, names, parameters) : value
    }

    /// Whether there is anything to look at more closely; mostly there is not.
    private static func mayHoldSecrets(_ value: JSON, _ names: Set<String>) -> Bool {
        switch value {
        case .null, .bool, .number: false
        case .string(let text): mayHoldAddress(text)
        case .array(let elements): elements.contains { mayHoldSecrets($0, names) }
        case .object(let object):
            object.members.contains { member in
                (!names.isEmpty && names.contains(member.key))
                    || mayHoldAddress(member.key) || mayHoldSecrets(member.value, names)
            }
        }
    }

    /// Whether there may be an address in a text of JSON, in whatever string or name.
    private static func mayHoldAddress(_ text: ArraySlice<UInt8>) -> Bool {
        unsafe text.withUnsafeBytes { bytes in
            var position = unsafe slash(in: bytes, from: 0)
            while position < bytes.count {
                // What follows the scheme, and an escape that may stand for any character of it.
                if position > 0, unsafe bytes[position - 1] == UInt8(ascii: ":") { return true }
                if position + 1 < bytes.count, unsafe bytes[position] == UInt8(ascii: "\\"),
                    unsafe bytes[position + 1] == UInt8(ascii: "u")
                {
                    return true
                }
                position = unsafe slash(in: bytes, from: position + 1)
            }
            return false
        }
    }

    /// The first slash or backslash from `start` on; the end when there is none.
    ///
    /// Mostly there is none, so eight bytes are looked at in one step.
    private static func slash(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let (each, high): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        var position = start
        while position < bytes.count {
            if position + 8 <= bytes.count {
                // Within the bytes; any eight of them are a number.
                let word = unsafe UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                let slash = word ^ each &* UInt64(UInt8(ascii: "/"))
                let backslash = word ^ each &* UInt64(UInt8(ascii: "\\"))
                // A byte that is zero gets its highest bit, and so may bytes behind the first one.
                let found =
                    ((slash &- each) & ~slash | (backslash &- each) & ~backslash) & high
                guard found != 0 else {
                    position += 8
                    continue
                }
                return position + found.trailingZeroBitCount / 8
            }
            let byte = unsafe bytes[position]
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") { return position }
            position += 1
        }
        return position
    }

    private static func mayHoldAddress(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        var (queries, schemes): (UInt8, UInt8) = (0, 0)
        var previous: UInt8 = 0
        for index in bytes.indices {
            queries |= isSeparator(bytes[index]) ? 1 : 0
            // Behind the scheme comes "//", or "\\/\\/".
            let isSlash =
                bytes[index] == UInt8(ascii: "/") || bytes[index] == UInt8(ascii: "\\")
            schemes |= isSlash && previous == UInt8(ascii: ":") ? 1 : 0
            // An escape may stand for any character of an address.
            if bytes[index] == UInt8(ascii: "u"), previous == UInt8(ascii: "\\") { return true }
            previous = bytes[index]
        }
        return queries & schemes > 0
    }

    private static func cleaned(
        _ value: JSON, _ names: Set<String>, _ parameters: Set<String>
    ) -> JSON {
        switch value {
        case .null, .bool, .number: return value
        case .string(let text): return .string(clean(text, parameters))
        case .array(let elements):
            return .array(elements.map { cleaned($0, names, parameters) })
        case .object(let object):
            var members: [JSONObject.Member] = []
            for member in object.members where !names.contains(member.key) {
                // An address can be a name too; two that differ in their secrets alone become one.
                let key = clean(member.key, parameters)
                if key != member.key, members.contains(where: { $0.key == key }) { continue }
                members.append(
                    JSONObject.Member(key: key, value: cleaned(member.value, names, parameters)))
            }
            return .object(JSONObject(members))
        }
    }

    private static func clean(_ text: String, _ parameters: Set<String>) -> String {
        guard mayHoldAddress(text) else { return text }
        if let said = cleanedInside(text, parameters) { return said }
        // Bytes, since a Character can join "?" or "=" with a combining mark behind it.
        var bytes = Array(text.utf8)
        var output: [UInt8] = []
        var position = 0
        /// Where the first address starts. Behind it every separator may begin a pair: addresses
        /// stand inside addresses, lists and sentences.
        var address: Int?
        while position < bytes.count {
            if address == nil, isAddress(bytes[position...]) { address = position }
            guard let address, isSeparator(bytes[position]),
                let end = endOfSecret(bytes, at: position, parameters, isWhole: address == 0)
            else {
                output.append(bytes[position])
                position += 1
                continue
            }
            // A "?" or "#" stays for the pairs behind it.
            if bytes[position] == UInt8(ascii: "?") || bytes[position] == UInt8(ascii: "#"),
                end < bytes.count,
                bytes[end] == UInt8(ascii: "&")
            {
                bytes[end] = bytes[position]
            }
            position = end
        }
        output = EncodedAddress.cleaned(output) { name in
            parameters.contains(percentDecoded(name).lowercased())
        }
        return output == Array(text.utf8) ? text : String(decoding: output, as: UTF8.self)
    }

    /// A text of JSON without the secrets of what it says; nil when it has none, or is something else.
    ///
    /// Writers of JSON may escape every character, and some do so with "&" and "=".
    private static func cleanedInside(_ text: String, _ parameters: Set<String>) -> String? {
        guard text.utf8.firstRange(of: "\\u".utf8) != nil,
            let said = try? JSONParser.parse(text: text).root
        else { return nil }
        let kept = cleaned(said, [], parameters)
        return kept == said ? nil : JSONWriter.text(of: kept)
    }

    /// What a pair can begin behind: also that of a fragment, and ";" as in "&amp;".
    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "?") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "#")
            || byte == UInt8(ascii: ";")
    }

    /// Where the secret pair behind a separator ends; nil when the pair is none.
    ///
    /// The value of an address that is the whole text may have anything in it, blanks too.
    private static func endOfSecret(
        _ bytes: [UInt8], at separator: Int, _ parameters: Set<String>, isWhole: Bool
    ) -> Int? {
        var end = separator + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "&"), bytes[end] != UInt8(ascii: "#"),
            isWhole || !endsAddress(bytes, at: end)
        {
            end += 1
        }
        let pair = bytes[(separator + 1)..<end]
        let name = pair.prefix { $0 != UInt8(ascii: "=") }
        // "#token" is a place in a page.
        let isQuery = bytes[separator] == UInt8(ascii: "?") || bytes[separator] == UInt8(ascii: "&")
        guard isQuery || name.endIndex < pair.endIndex else { return nil }
        return parameters.contains(percentDecoded(name).lowercased()) ? pair.endIndex : nil
    }

    private static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
        let scheme = bytes.prefix(5).map { $0 | 0x20 }
        guard scheme.starts(with: "http".utf8) else { return false }
        var rest = bytes.dropFirst(scheme.last == UInt8(ascii: "s") ? 5 : 4)
        guard rest.popFirst() == UInt8(ascii: ":") else { return false }
        for _ in 0..<2 {
            // Some writers of JSON escape a slash, in each text that is inside another once more.
            while rest.first == UInt8(ascii: "\\") { rest.removeFirst() }
            guard rest.popFirst() == UInt8(ascii: "/") else { return false }
        }
        return true
    }

    /// Where an address in the middle of a text ends.
    private static func endsAddress(_ bytes: [UInt8], at place: Int) -> Bool {
        switch bytes[place] {
        case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        // Before a quote it ends the text that the address is in; before a slash it is part of it.
        case UInt8(ascii: "\\"):
            bytes[place...].first { $0 != UInt8(ascii: "\\") } == UInt8(ascii: "\"")
        default: false
        }
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
