package import Coordinator
package import Security

/// Reads the sessions of an export, a line at a time, and checks everything in it.
package struct ExportReader {
    private let key: SealingKey
    private let settings: SessionSettings
    private var lines: LineFile
    private var seal = ExportLine()
    private var newest: SessionID?
    private var hasHeading = false
    /// Sessions that were read.
    package private(set) var count = 0

    /// Bytes of the file that were read.
    package var offset: Int { lines.offset }

    /// Reads from the beginning of a file.
    ///
    /// `key` opens the secrets; `settings` bound what is taken over, as they do in a daemon.
    package init(_ file: ReadableFile, key: SealingKey, settings: SessionSettings) {
        lines = LineFile(file)
        self.key = key
        self.settings = settings
    }

    /// The next session; nil after the closing line at the end of the file.
    ///
    /// - Throws: ``ExportFault`` for the first line that is not as it was written.
    package mutating func next() throws(ExportFault) -> SessionDocument? {
        if !hasHeading {
            let heading = try line("it is empty")
            try readHeading(heading)
            hasHeading = true
        }
        let json = try line("the file ends without its closing line: it was cut")
        if json["session"] == nil, json["sessions"] != nil {
            try checkEnd(json)
            return nil
        }
        let document: SessionDocument
        do throws(StorageFault) {
            document = try SessionDocument(
                json, vault: { Vault(key: key, context: $0.description) }, settings: settings)
        } catch {
            throw fault("\(error)")
        }
        if let newest,
            !(Array(newest.description.utf8).lexicographicallyPrecedes(
                document.id.description.utf8))
        {
            throw fault("\(document.id) is not behind \(newest) in the order of their bytes")
        }
        newest = document.id
        count += 1
        return document
    }

    /// The next line's object without its checksum, which is right.
    private mutating func line(_ atEnd: String) throws(ExportFault) -> JSON {
        guard let line = try lines.next() else {
            throw ExportFault(line: lines.number + 1, reason: atEnd)
        }
        guard seal.accepts(line) else {
            throw fault(
                hasHeading
                    ? "the checksum is wrong: this line was changed, or lines before it are missing"
                    : "no export of coordd begins like this")
        }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONParser.parse(
                line.span, maximumDepth: SessionDocument.maximumDepth)
        } catch {
            throw fault("no JSON at byte \(error.offset)")
        }
        if let defect = document.defects.first { throw fault(defect.kind.description) }
        guard var object = document.root.object, object.members.last?.key == "crc" else {
            throw fault("an object with a checksum is expected")
        }
        object = JSONObject(Array(object.members.dropLast()))
        return .object(object)
    }

    private func readHeading(_ json: JSON) throws(ExportFault) {
        guard json["format"]?.string == ExportFormat.name else {
            throw fault("no export of coordd begins like this")
        }
        guard json["version"]?.number?.signed == Int64(ExportFormat.version) else {
            let version = json["version"].map(JSONWriter.text(of:)) ?? "none"
            throw fault(
                "the format has version \(version), this coordd reads \(ExportFormat.version)")
        }
        guard let sealedWith = json["key"]?.string else { throw fault("no key is named") }
        guard sealedWith == key.fingerprint else {
            throw fault(
                "its secrets are sealed with the key \(sealedWith), secrets.keyFile holds "
                    + key.fingerprint)
        }
    }

    private mutating func checkEnd(_ json: JSON) throws(ExportFault) {
        guard json["sessions"]?.number?.signed == Int64(count) else {
            throw fault("the closing line counts other sessions than the \(count) before it")
        }
        guard try lines.next() == nil else { throw fault("something follows the closing line") }
    }

    private func fault(_ reason: String) -> ExportFault {
        ExportFault(line: lines.number, reason: reason)
    }
}

/// Why an export is not imported.
package struct ExportFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// Counted from 1; nil when it is about the file.
    package var line: Int?
    /// What is wrong, in plain words.
    package var reason: String

    /// The line and the reason.
    package var description: String { (line.map { "line \($0): " } ?? "") + reason }
}
