/// Something in a transcript that cannot be played.
package struct TranscriptFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, counted from 1; nil for the transcript as a whole.
    package var line: Int?
    /// The place in the line, such as `by.role`; nil for the whole line.
    package var path: String?
    /// What was found and what is allowed.
    package var reason: String

    /// A fault at a place.
    package init(line: Int?, path: String? = nil, reason: String) {
        self.line = line
        self.path = path
        self.reason = reason
    }

    /// `line: path: reason`, as far as they are known; the caller puts the file's name before it.
    package var description: String {
        [line.map(String.init), path, reason].compactMap { $0 }.joined(separator: ": ")
    }
}

/// All faults of a transcript, in the order of its lines.
package struct TranscriptFaults: Error, Sendable, Equatable {
    /// At least one.
    package var list: [TranscriptFault]

    /// At least one fault.
    package init(list: [TranscriptFault]) {
        self.list = list
    }
}
