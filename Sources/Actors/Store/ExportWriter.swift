package import Coordinator
package import Security

/// Writes sessions as JSON lines: a heading, a line for each, and a closing line that counts them.
package struct ExportWriter {
    private let key: SealingKey
    private let write: ([UInt8]) throws(SystemFault) -> Void
    private var seal = ExportLine()
    /// Sessions that were written.
    package private(set) var count = 0

    /// Begins an export whose secrets `key` seals; `program` names what writes it.
    ///
    /// `write` takes lines with their ends.
    package init(
        key: SealingKey, program: String, at now: Instant,
        _ write: @escaping ([UInt8]) throws(SystemFault) -> Void
    ) throws(SystemFault) {
        self.key = key
        self.write = write
        try add([
            .init(key: "format", value: .string(ExportFormat.name)),
            .init(key: "version", value: .integer(ExportFormat.version)),
            .init(key: "by", value: .string(program)),
            .init(key: "key", value: .string(key.fingerprint)),
            .init(key: "at", value: .string(CivilTime(now).text)),
        ])
    }

    /// Adds a session; they come in the order of their ids.
    package mutating func add(_ document: SessionDocument) throws(SystemFault) {
        let vault = Vault(key: key, context: document.id.description)
        count += 1
        try add(document.openText(vault))
    }

    /// Ends the export.
    package mutating func end() throws(SystemFault) {
        try add([.init(key: "sessions", value: .integer(count))])
    }

    private mutating func add(_ members: [JSONObject.Member]) throws(SystemFault) {
        try add(JSONWriter.bytes(of: .object(JSONObject(members))).dropLast())
    }

    private mutating func add(_ open: some Sequence<UInt8>) throws(SystemFault) {
        try write(seal.sealed(Array(open)) + [UInt8(ascii: "\n")])
    }
}
