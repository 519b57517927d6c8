package import Coordinator

/// The answer to an HTTP request, as a client sees it.
package struct HTTPAnswer: Equatable {
    /// The first line, without its end.
    package var line: String
    /// The header by names in lower case; the last line of a name counts.
    package var fields: [String: String]
    /// The body, as long as the header says.
    package var body: String

    /// The number of the status; 0 when the first line has none.
    package var status: Int {
        let words = line.split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }
}

extension RawClient {
    /// Sends a request without a body and with one Host field; `fields` are lines without their ends.
    package func request(_ method: String, _ path: String, _ fields: String...) {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: localhost"] + fields
        send(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    }

    /// Reads the next answer; one to HEAD has no body.
    ///
    /// - Throws: ``Failure``.
    package func httpAnswer(toHead: Bool = false) throws(Failure) -> HTTPAnswer {
        var lines: [String] = []
        while true {
            let line = try line()
            guard line.hasSuffix("\r") else { throw .unexpected(line) }
            if line == "\r" { break }
            lines.append(String(line.dropLast()))
        }
        guard let first = lines.first else { throw .unexpected("no status line") }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { throw .unexpected(line) }
            fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let length = toHead ? 0 : fields["content-length"].flatMap { Int($0) } ?? 0
        let body = String(decoding: try bytes(length), as: UTF8.self)
        return HTTPAnswer(line: first, fields: fields, body: body)
    }

    /// Sends a request and reads its answer.
    ///
    /// - Throws: ``Failure``.
    package func get(_ path: String) throws(Failure) -> HTTPAnswer {
        request("GET", path)
        return try httpAnswer()
    }

    /// Sends a request with a JSON body, if there is one, and reads its answer; `fields` are further
    /// lines without their ends.
    ///
    /// - Throws: ``Failure``.
    package func ask(
        _ method: String, _ path: String, _ body: String? = nil, host: String = "localhost",
        type: String? = "application/json", fields: [String] = []
    ) throws(Failure) -> HTTPAnswer {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields
        if let body {
            if let type { lines.append("Content-Type: \(type)") }
            lines.append("Content-Length: \(body.utf8.count)")
        }
        send(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8))
        return try httpAnswer(toHead: method == "HEAD")
    }
}

extension HTTPAnswer {
    /// The body as JSON; `null` when it is none.
    package var json: JSON {
        let bytes = Array(body.utf8)
        return (try? JSONParser.parse(bytes.span, maximumDepth: 64).root) ?? .null
    }
}
