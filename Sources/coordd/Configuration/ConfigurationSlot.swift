package import Coordinator

/// Where a key's value lives in ``Configuration``, and which values are allowed.
package struct ConfigurationSlot: Sendable {
    /// Why a value is refused.
    enum Refusal: Error, Equatable {
        /// Not one of the allowed values.
        case notAllowed
    }

    /// A settable place of the configuration.
    typealias Path<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    /// The allowed values in words, with the unit.
    package let allowed: String
    /// The default in words where it is not a fixed value; the example file comments such keys out.
    package private(set) var defaultNote: String?
    /// Whether an environment variable's text is the value; otherwise it is read as JSON.
    let isText: Bool
    /// Whether the text is a path, relative to the folder of the file that names it.
    private(set) var isPath = false
    /// Whether no text of this program may show the value, not even a wrong one.
    private(set) var isSecret = false
    /// The value in use.
    package let read: @Sendable (Configuration) -> JSON
    /// Checks a value and puts it in its place.
    let write: @Sendable (JSON, inout Configuration) throws(Refusal) -> Void

    /// Whole numbers within `range`.
    static func integer(_ path: Path<Int>, _ range: ClosedRange<Int>, _ unit: String) -> Self {
        ConfigurationSlot(
            allowed: range.count == 1
                ? "only \(range.lowerBound)" : "\(words(range)) (\(unit))",
            isText: false, read: { .integer($0[keyPath: path]) },
            write: { value, configuration throws(Refusal) in
                configuration[keyPath: path] = try whole(value, range)
            })
    }

    /// Whole numbers within `range`, or what the machine says.
    static func integer(
        _ path: Path<Int?>, _ range: ClosedRange<Int>, _ unit: String, default note: String,
        _ effective: @escaping @Sendable (Configuration) -> Int
    ) -> Self {
        ConfigurationSlot(
            allowed: "\(words(range)) (\(unit))", defaultNote: note, isText: false,
            read: { .integer(effective($0)) },
            write: { value, configuration throws(Refusal) in
                configuration[keyPath: path] = try whole(value, range)
            })
    }

    /// Whole numbers within `range`, or the text `"off"`.
    static func integerOrOff(
        _ path: Path<Int?>, _ range: ClosedRange<Int>, _ unit: String
    ) -> Self {
        ConfigurationSlot(
            allowed: "\(words(range)) (\(unit)), or \"off\"", isText: false,
            read: { $0[keyPath: path].map { .integer($0) } ?? "off" },
            write: { value, configuration throws(Refusal) in
                configuration[keyPath: path] = value == "off" ? nil : try whole(value, range)
            })
    }

    /// Seconds with up to three decimals; the place holds milliseconds, as `range` does.
    static func seconds(_ path: Path<Int>, milliseconds range: ClosedRange<Int>) -> Self {
        let lowest = Decimals.seconds(range.lowerBound)
        let highest = Decimals.seconds(range.upperBound)
        return ConfigurationSlot(
            allowed: "a number from \(lowest) to \(highest) (seconds, up to three decimals)",
            isText: false,
            read: { .number(JSONNumber(text: Decimals.seconds($0[keyPath: path]))) },
            write: { value, configuration throws(Refusal) in
                guard let text = value.number?.text, let number = Decimals.milliseconds(text),
                    range.contains(number)
                else { throw .notAllowed }
                configuration[keyPath: path] = number
            })
    }

    /// `true` or `false`.
    static func boolean(_ path: Path<Bool>) -> Self {
        ConfigurationSlot(
            allowed: "true or false", isText: false, read: { .bool($0[keyPath: path]) },
            write: { value, configuration throws(Refusal) in
                guard let truth = value.bool else { throw .notAllowed }
                configuration[keyPath: path] = truth
            })
    }

    /// One of the cases of `Choice`.
    static func choice<Choice>(_ path: Path<Choice>) -> Self
    where Choice: RawRepresentable<String> & CaseIterable & Sendable {
        let names = Choice.allCases.map { JSONWriter.text(of: .string($0.rawValue)) }
        return ConfigurationSlot(
            allowed: names.joined(separator: ", "), isText: true,
            read: { .string($0[keyPath: path].rawValue) },
            write: { value, configuration throws(Refusal) in
                guard let choice = value.string.flatMap({ Choice(rawValue: $0) }) else {
                    throw .notAllowed
                }
                configuration[keyPath: path] = choice
            })
    }

    /// A text of 1 to `maximumBytes` bytes.
    static func text(_ path: Path<String>, maximumBytes: Int) -> Self {
        ConfigurationSlot(
            allowed: "a text of 1 to \(maximumBytes) bytes", isText: true,
            read: { .string($0[keyPath: path]) },
            write: { value, configuration throws(Refusal) in
                configuration[keyPath: path] = try text(value, maximumBytes)
            })
    }

    /// A text of 1 to `maximumBytes` bytes, or none.
    static func optionalText(
        _ path: Path<String?>, maximumBytes: Int, default note: String
    ) -> Self {
        ConfigurationSlot(
            allowed: "a text of 1 to \(maximumBytes) bytes", defaultNote: note, isText: true,
            read: { $0[keyPath: path].map { .string($0) } ?? .null },
            write: { value, configuration throws(Refusal) in
                configuration[keyPath: path] = try text(value, maximumBytes)
            })
    }

    /// A secret of so many bytes, of which only is shown that it is there.
    static func secret(_ path: Path<String?>, bytes: ClosedRange<Int>) -> Self {
        ConfigurationSlot(
            allowed: "a text of \(bytes.lowerBound) to \(bytes.upperBound) bytes, as "
                + "`openssl rand -hex 32` prints one",
            defaultNote: "none", isText: true, isSecret: true,
            read: { $0[keyPath: path] == nil ? .null : "set" },
            write: { value, configuration throws(Refusal) in
                let secret = try text(value, bytes.upperBound)
                guard bytes.contains(secret.utf8.count) else { throw .notAllowed }
                configuration[keyPath: path] = secret
            })
    }

    /// A public key in PEM, or the path of a file that holds one.
    static func publicKey(_ path: Path<Configuration.KeyText>) -> Self {
        ConfigurationSlot(
            allowed: "a PEM text (BEGIN PUBLIC KEY), or the path of a file that holds one",
            defaultNote: "none", isText: true, isPath: true, isSecret: true,
            read: { configuration in
                guard let source = configuration[keyPath: path].source else { return .null }
                return source.hasPrefix(Configuration.KeyText.beginning)
                    ? "set" : .string(source)
            },
            write: { value, configuration throws(Refusal) in
                configuration[keyPath: path].source = try text(value, 65_536)
            })
    }

    /// A path that the loader completes when it is not given.
    static func path(_ path: Path<String>, of kind: String, default note: String) -> Self {
        ConfigurationSlot(
            allowed: "the path of a \(kind)", defaultNote: note, isText: true, isPath: true,
            read: { .string($0[keyPath: path]) },
            write: { value, configuration throws(Refusal) in
                configuration[keyPath: path] = try filePath(value)
            })
    }

    /// A path of a file.
    static func file(_ path: Path<String?>, default note: String) -> Self {
        ConfigurationSlot(
            allowed: "the path of a file", defaultNote: note, isText: true, isPath: true,
            read: { $0[keyPath: path].map { .string($0) } ?? .null },
            write: { value, configuration throws(Refusal) in
                configuration[keyPath: path] = try filePath(value)
            })
    }

    /// The key of the HTTP API, which is shown to nobody.
    static func apiKey(_ path: Path<APIKey?>) -> Self {
        ConfigurationSlot(
            allowed: "a text of \(APIKey.bytes.lowerBound) to \(APIKey.bytes.upperBound) visible "
                + "ASCII characters",
            defaultNote: "none", isText: true, isSecret: true,
            read: { $0[keyPath: path].map { _ in "set" } ?? .null },
            write: { value, configuration throws(Refusal) in
                guard let key = value.string.flatMap({ APIKey($0) }) else { throw .notAllowed }
                configuration[keyPath: path] = key
            })
    }

    /// A list of at most `count` origins of web pages.
    static func origins(_ path: Path<[String]>, count: Int) -> Self {
        ConfigurationSlot(
            allowed: "a list of at most \(count) origins as https://shop.example or "
                + "http://localhost:3000, or [\"*\"]",
            isText: false, read: { .array($0[keyPath: path].map { .string($0) }) },
            write: { value, configuration throws(Refusal) in
                guard let elements = value.array, elements.count <= count else {
                    throw .notAllowed
                }
                var origins: [String] = []
                for element in elements {
                    let origin = try text(element, 512)
                    guard origin == "*" || OriginRule.isOrigin(origin) else { throw .notAllowed }
                    origins.append(origin)
                }
                configuration[keyPath: path] = origins
            })
    }

    /// `HOST:PORT`.
    static func address(_ path: Path<ListenAddress>) -> Self {
        ConfigurationSlot(
            allowed: ListenAddress.allowed, isText: true,
            read: { .string($0[keyPath: path].description) },
            write: { value, configuration throws(Refusal) in
                guard let address = value.string.flatMap({ ListenAddress($0) }) else {
                    throw .notAllowed
                }
                configuration[keyPath: path] = address
            })
    }

    /// `HOST:PORT`, or nothing.
    static func address(_ path: Path<ListenAddress?>, default note: String) -> Self {
        ConfigurationSlot(
            allowed: ListenAddress.allowed, defaultNote: note, isText: true,
            read: { $0[keyPath: path].map { .string($0.description) } ?? .null },
            write: { value, configuration throws(Refusal) in
                guard let address = value.string.flatMap({ ListenAddress($0) }) else {
                    throw .notAllowed
                }
                configuration[keyPath: path] = address
            })
    }

    /// A list of at most `count` texts.
    static func texts(_ path: Path<[String]>, count: Int, maximumBytes: Int) -> Self {
        ConfigurationSlot(
            allowed: "a list of at most \(count) texts of 1 to \(maximumBytes) bytes",
            isText: false, read: { .array($0[keyPath: path].map { .string($0) }) },
            write: { value, configuration throws(Refusal) in
                guard let elements = value.array, elements.count <= count else {
                    throw .notAllowed
                }
                var texts: [String] = []
                for element in elements { texts.append(try text(element, maximumBytes)) }
                configuration[keyPath: path] = texts
            })
    }

    /// An object of at most `count` names, each with one of `vendors`.
    static func vendors(
        _ path: Path<[String: String]>, count: Int, vendors: [String]
    ) -> Self {
        let names = vendors.map { JSONWriter.text(of: .string($0)) }.joined(separator: ", ")
        return ConfigurationSlot(
            allowed: "an object of at most \(count) names of 1 to 128 bytes, each with \(names); "
                + "a vendor's own handler stays with it",
            isText: false,
            read: { configuration in
                let sorted = configuration[keyPath: path].sorted { $0.key < $1.key }
                return .object(
                    JSONObject(
                        sorted.map { JSONObject.Member(key: $0.key, value: .string($0.value)) }))
            },
            write: { value, configuration throws(Refusal) in
                guard let members = value.object?.members, members.count <= count else {
                    throw .notAllowed
                }
                var handlers: [String: String] = [:]
                for member in members {
                    let name = try text(.string(member.key), 128)
                    guard let vendor = member.value.string, vendors.contains(vendor) else {
                        throw .notAllowed
                    }
                    // A page's own handler cannot be taken from its vendor.
                    let owner = VendorTable.standard.vendor(handling: name)?.rawValue
                    guard owner == nil || owner == vendor else { throw .notAllowed }
                    guard handlers.updateValue(vendor, forKey: name) == nil else {
                        throw .notAllowed
                    }
                }
                configuration[keyPath: path] = handlers
            })
    }

    private static func words(_ range: ClosedRange<Int>) -> String {
        "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }

    private static func whole(
        _ value: JSON, _ range: ClosedRange<Int>
    ) throws(Refusal) -> Int {
        guard let number = value.number?.signed.flatMap({ Int(exactly: $0) }),
            range.contains(number)
        else { throw .notAllowed }
        return number
    }

    private static func text(_ value: JSON, _ maximumBytes: Int) throws(Refusal) -> String {
        guard let text = value.string, (1...maximumBytes).contains(text.utf8.count) else {
            throw .notAllowed
        }
        return text
    }

    /// A path is text for the system: a NUL would cut it short.
    private static func filePath(_ value: JSON) throws(Refusal) -> String {
        let path = try text(value, 4095)
        guard !path.utf8.contains(0) else { throw .notAllowed }
        return path
    }
}
