package import Actors
package import Coordinator

/// Reads file, environment and flags into one ``Configuration``, or names everything wrong with them.
package struct ConfigurationLoader {
    /// Reads a small file.
    package typealias FileReader = @Sendable (String) -> Result<[UInt8], FileText.Failure>

    /// The longest configuration file or template, in bytes.
    package static let maximumFileBytes = 1 << 20

    private let environment: [String: String]
    private let isRoot: Bool
    private let readFile: FileReader
    private var file: String?
    private var configuration = Configuration()
    private var origins: [String: ConfigurationOrigin] = [:]
    private var problems: [ConfigurationProblem] = []

    /// Loads the configuration from a file, if there is one, the environment, and flags.
    ///
    /// A flag is a key, its value's text, and the flag's name. An overlay has the shape of the file
    /// and wins over everything; its place takes the file's part in what is said about it.
    ///
    /// - Throws: ``ConfigurationProblems`` with every problem of every source.
    package static func load(
        file: String?, environment: [String: String],
        flags: [(key: String, text: String, flag: String)] = [],
        overlay: (values: JSONObject, place: String)? = nil, isRoot: Bool = false,
        readFile: @escaping FileReader = defaultReader
    ) throws(ConfigurationProblems) -> LoadedConfiguration {
        var loader = ConfigurationLoader(
            environment: environment, isRoot: isRoot, readFile: readFile)
        loader.file = file
        if let file { loader.take(file: file) }
        loader.takeEnvironment()
        for flag in flags { loader.take(text: flag.text, of: flag.key, from: .flag(flag.flag)) }
        if let overlay {
            loader.walk(overlay.values, section: "", from: .file(overlay.place))
        }
        loader.completePaths()
        loader.checkTogether()
        guard loader.problems.isEmpty else {
            throw ConfigurationProblems(list: loader.problems)
        }
        return LoadedConfiguration(
            configuration: loader.configuration, origins: loader.origins, file: file)
    }

    /// Reads from the file system.
    package static let defaultReader: FileReader = { path in
        Result { () throws(FileText.Failure) in
            try FileText.read(path, limit: maximumFileBytes)
        }
    }

    private init(
        environment: [String: String], isRoot: Bool, readFile: @escaping FileReader
    ) {
        self.environment = environment
        self.isRoot = isRoot
        self.readFile = readFile
    }

    private mutating func report(
        _ origin: ConfigurationOrigin, _ key: String?, _ message: String
    ) {
        problems.append(ConfigurationProblem(source: origin.source, key: key, message: message))
    }
}

// MARK: - One value

extension ConfigurationLoader {
    private mutating func take(
        _ value: JSON, of key: ConfigurationKey, from origin: ConfigurationOrigin
    ) {
        let slot = key.slot
        let value = slot.isPath ? resolved(value, from: origin) : value
        do throws(ConfigurationSlot.Refusal) {
            try slot.write(value, &configuration)
            origins[key.name] = origin
        } catch {
            let found =
                slot.isSecret
                ? ConfigurationProblem.measured(value) : ConfigurationProblem.shown(value)
            report(origin, key.name, "found \(found); allowed: \(slot.allowed)")
        }
    }

    /// Takes the text of an environment variable or a flag.
    private mutating func take(text: String, of name: String, from origin: ConfigurationOrigin) {
        guard let key = ConfigurationTable.key(name) else {
            preconditionFailure("the flag sets \(name), which is not in the table")
        }
        take(value(text, for: key), of: key, from: origin)
    }

    /// Text stays text; anything else is JSON, and what is not JSON is text the slot will judge.
    private func value(_ text: String, for key: ConfigurationKey) -> JSON {
        guard !key.slot.isText, let document = try? JSONParser.parse(text: text),
            document.defects.isEmpty
        else { return .string(text) }
        return document.root
    }

    /// A relative path in the file starts at the file's folder, any other at the working folder.
    private func resolved(_ value: JSON, from origin: ConfigurationOrigin) -> JSON {
        guard case .file(let file) = origin, let path = value.string, !path.isEmpty,
            !path.hasPrefix("/"), !path.hasPrefix(Configuration.KeyText.beginning),
            let slash = file.lastIndex(of: "/")
        else { return value }
        return .string(String(file[...slash]) + path)
    }
}

// MARK: - File

extension ConfigurationLoader {
    private mutating func take(file: String) {
        let origin = ConfigurationOrigin.file(file)
        let bytes: [UInt8]
        do throws(FileText.Failure) {
            bytes = try readFile(file).get()
        } catch {
            report(origin, nil, "cannot be read: \(error.reason)")
            return
        }
        guard let document = parse(bytes, of: file) else { return }
        guard let root = document.root.object else {
            report(origin, nil, "found \(document.root.kindName); allowed: one JSON object")
            return
        }
        for defect in document.defects where defect.kind == .loneSurrogate {
            report(
                origin, defect.path.joined(separator: "."),
                "found half a surrogate pair; allowed: valid Unicode text")
        }
        walk(root, section: "", from: origin)
    }

    private mutating func parse(_ bytes: [UInt8], of file: String) -> JSONDocument? {
        do throws(CommentStripper.OpenComment) {
            let stripped = try CommentStripper.strip(bytes)
            do throws(JSONError) {
                return try JSONParser.parse(stripped.span)
            } catch {
                let place = TextPosition(offset: error.offset, in: bytes)
                report(.file("\(file):\(place)"), nil, "not JSON: \(error.message)")
            }
        } catch {
            let place = TextPosition(offset: error.offset, in: bytes)
            report(.file("\(file):\(place)"), nil, "a comment starts here and does not end")
        }
        return nil
    }

    private mutating func walk(
        _ object: JSONObject, section: String, from origin: ConfigurationOrigin
    ) {
        var seen: [String] = []
        for member in object.members {
            let name = section.isEmpty ? member.key : "\(section).\(member.key)"
            guard !seen.contains(where: { $0.hasSameBytes(as: member.key) }) else {
                report(origin, name, "found twice; allowed: once")
                continue
            }
            seen.append(member.key)
            if let key = ConfigurationTable.key(name), !member.key.utf8.contains(UInt8(ascii: "."))
            {
                take(member.value, of: key, from: origin)
            } else if ConfigurationTable.isSection(name), !member.key.isEmpty {
                take(section: member.value, named: name, from: origin)
            } else {
                let place = section.isEmpty ? "at the top" : "in \(section)"
                report(origin, name, "unknown key; allowed \(place): \(names(in: section))")
            }
        }
    }
}

extension ConfigurationLoader {
    private mutating func take(
        section value: JSON, named name: String, from origin: ConfigurationOrigin
    ) {
        if let object = value.object {
            walk(object, section: name, from: origin)
        } else {
            report(
                origin, name, "found \(value.kindName); allowed: an object with \(names(in: name))")
        }
    }

    private func names(in section: String) -> String {
        let names = ConfigurationTable.members(of: section)
        return names.isEmpty ? "nothing in this version" : names.joined(separator: ", ")
    }
}

// MARK: - Environment

extension ConfigurationLoader {
    private mutating func takeEnvironment() {
        for name in environment.keys.sorted() where name.hasPrefix("COORDD_") {
            let origin = ConfigurationOrigin.environment(name)
            if let key = ConfigurationTable.keys.first(where: { $0.environmentName == name }) {
                take(text: environment[name] ?? "", of: key.name, from: origin)
            } else if !Self.isInjected(name), name != Tool.tokenVariable {
                report(
                    origin, nil,
                    "no key has this name; allowed: COORDD_ and the key in capitals, as "
                        + "COORDD_LIMITS_MESSAGE_BYTES for limits.messageBytes")
            }
        }
    }

    /// What the client tools read, who run where daemons do.
    package static let toolKeyVariable = "COORDD_API_KEY"

    /// Kubernetes tells every container about a service named `coordd` in such variables.
    private static func isInjected(_ name: String) -> Bool {
        name.hasPrefix("COORDD_SERVICE_") || name == "COORDD_PORT"
            || name.hasPrefix("COORDD_PORT_") || name == Self.toolKeyVariable
    }
}

// MARK: - What needs all values

extension ConfigurationLoader {
    private mutating func completePaths() {
        if configuration.data.isEmpty { configuration.data = defaultDataFolder }
        if configuration.secrets.keyFile.isEmpty {
            configuration.secrets.keyFile = defaultKeyFile
        }
        readTemplate("vendors.genius.template", \.vendors.genius.page)
        readTemplate("vendors.sportradar.template", \.vendors.sportradar.page)
        readPublicKey()
    }

    private mutating func readTemplate(
        _ key: String, _ place: WritableKeyPath<Configuration, Configuration.PageFile>
    ) {
        guard let file = configuration[keyPath: place].file else { return }
        let origin = origins[key] ?? .standard
        do throws(FileText.Failure) {
            let bytes = try readFile(file).get()
            guard let text = String(validating: bytes, as: UTF8.self) else {
                report(origin, key, "\(file) is not UTF-8")
                return
            }
            do throws(PageTemplate.Problem) {
                _ = try PageTemplate(text)
                configuration[keyPath: place].text = text
            } catch {
                report(origin, key, "\(file): \(error)")
            }
        } catch {
            report(origin, key, "\(file) cannot be read: \(error.reason)")
        }
    }

    /// Nothing of the file is shown: it might be a private key.
    private mutating func readPublicKey() {
        guard let source = configuration.auth.publicKey.source else { return }
        let key = "auth.publicKey"
        let origin = origins[key] ?? .standard
        let isText = source.hasPrefix(Configuration.KeyText.beginning)
        do throws(FileText.Failure) {
            let bytes = isText ? Array(source.utf8) : try readFile(source).get()
            let place = isText ? "the text" : source
            do throws(TokenVerifier.KeyFault) {
                _ = try TokenVerifier(publicKey: bytes)
                configuration.auth.publicKey.pem = String(decoding: bytes, as: UTF8.self)
            } catch {
                report(origin, key, "\(place): \(error)")
            }
        } catch {
            report(origin, key, "\(source) cannot be read: \(error.reason)")
        }
    }

    /// The XDG base directory rules: a relative `XDG_STATE_HOME` counts as not set.
    private var defaultDataFolder: String {
        if !isRoot {
            if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
                return "\(state)/coordd"
            }
            if let home = environment["HOME"], home.hasPrefix("/") {
                return "\(home)/.local/state/coordd"
            }
        }
        return "/var/lib/coordd"
    }

    /// Beside the configuration file, else where the user's configuration is.
    private var defaultKeyFile: String {
        if let file {
            return file.lastIndex(of: "/").map { file[...$0] + "coordd.key" } ?? "coordd.key"
        }
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return "\(folder)/coordd/coordd.key"
        }
        if !isRoot, let home = environment["HOME"], home.hasPrefix("/") {
            return "\(home)/.config/coordd/coordd.key"
        }
        return "/etc/coordd/coordd.key"
    }

    /// Relations between keys; a key that is wrong by itself is not blamed twice.
    private mutating func checkTogether() {
        let wrong = Set(problems.compactMap(\.key))
        if wrong.isDisjoint(with: ["ping.intervalSeconds", "ping.pongSeconds"]),
            let interval = configuration.ping.intervalSeconds,
            configuration.ping.pongMilliseconds >= interval * 1000
        {
            let found = Decimals.seconds(configuration.ping.pongMilliseconds)
            report(
                laterOrigin("ping.pongSeconds", "ping.intervalSeconds"), "ping.pongSeconds",
                "found \(found); allowed: below ping.intervalSeconds, which is \(interval)")
        }
        if wrong.isDisjoint(with: ["auth.secret", "auth.publicKey"]), !configuration.auth.usesTokens
        {
            for key in ["auth.audience", "auth.issuer"] {
                guard let origin = origins[key] else { continue }
                report(
                    origin, key,
                    "found, and no key to check tokens with; allowed: with auth.secret or "
                        + "auth.publicKey")
            }
        }
        let (data, keyFile) = (configuration.data, configuration.secrets.keyFile)
        if wrong.isDisjoint(with: ["data", "secrets.keyFile"]),
            keyFile.hasPrefix(data.hasSuffix("/") ? data : data + "/")
        {
            report(
                laterOrigin("secrets.keyFile", "data"), "secrets.keyFile",
                "found \(ConfigurationProblem.shown(.string(keyFile))); allowed: outside the "
                    + "data folder, so that a copy of that is no copy of the key")
        }
        checkTLS(wrong)
        let bounds = configuration.bounds
        if wrong.isDisjoint(with: ["bounds.contentBytes", "bounds.stateBytes"]),
            bounds.contentBytes > bounds.stateBytes
        {
            report(
                laterOrigin("bounds.contentBytes", "bounds.stateBytes"), "bounds.contentBytes",
                "found \(bounds.contentBytes); allowed: at most bounds.stateBytes, which is "
                    + "\(bounds.stateBytes)")
        }
    }

    /// All keys of TLS or none, an address of its own, and files that can be used.
    private mutating func checkTLS(_ wrong: Set<String>) {
        let tls = configuration.tls
        let keys = [
            ("tls.listen", tls.listen != nil), ("tls.certificate", tls.certificate != nil),
            ("tls.key", tls.key != nil),
        ]
        guard wrong.isDisjoint(with: keys.map { $0.0 }), let first = keys.first(where: { $0.1 })
        else { return }
        let origin = origins[first.0] ?? .standard
        for (key, isThere) in keys where !isThere {
            report(
                origin, key,
                "found nothing; allowed: tls.listen, tls.certificate and tls.key together, or "
                    + "none of them")
        }
        if let listen = tls.listen, listen.port != 0, listen == configuration.listen {
            report(
                laterOrigin("tls.listen", "listen"), "tls.listen",
                "found \(listen); allowed: another address than listen")
        }
        guard let files = configuration.tlsFiles else { return }
        do throws(TLSFiles.Problem) {
            _ = try files.load(reading: readFile)
        } catch {
            let key = error.isAboutKey ? "tls.key" : "tls.certificate"
            report(origins[key] ?? .standard, key, error.description)
        }
    }

    /// Who set the first key, or who made its default wrong by setting the second.
    private func laterOrigin(_ first: String, _ second: String) -> ConfigurationOrigin {
        origins[first] ?? origins[second] ?? .standard
    }
}
