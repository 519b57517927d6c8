/// Blanks out comments of a JSON text so that every other byte keeps its place.
///
/// `//` runs to the end of the line, `/*` to the next `*/`. Inside strings both are plain text.
package enum CommentStripper {
    /// A block comment without an end.
    package struct OpenComment: Error, Equatable {
        /// Bytes before its start.
        package var offset: Int

        /// A comment that starts after `offset` bytes.
        package init(offset: Int) {
            self.offset = offset
        }
    }

    private enum State {
        case outside
        case string
        case lineComment
        case blockComment(start: Int)
    }

    /// The same number of bytes with comments as blanks; line feeds stay.
    package static func strip(_ bytes: [UInt8]) throws(OpenComment) -> [UInt8] {
        var output = bytes
        var state = State.outside
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            switch state {
            case .outside:
                if byte == slash, next == slash || next == star {
                    state = next == slash ? .lineComment : .blockComment(start: index)
                    output[index] = blank
                    output[index + 1] = blank
                    index += 1
                } else if byte == quote {
                    state = .string
                }
            case .string:
                if byte == backslash {
                    index += 1
                } else if byte == quote {
                    state = .outside
                }
            case .lineComment:
                if byte == lineFeed { state = .outside } else { output[index] = blank }
            case .blockComment:
                if byte == star, next == slash {
                    output[index] = blank
                    output[index + 1] = blank
                    index += 1
                    state = .outside
                } else if byte != lineFeed {
                    output[index] = blank
                }
            }
            index += 1
        }
        if case .blockComment(let start) = state { throw OpenComment(offset: start) }
        return output
    }

    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let blank = UInt8(ascii: " ")
}
