/// Why bytes are not one JSON text.
package struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of fault.
    package enum Kind: Sendable, Equatable {
        /// The grammar of RFC 8259 is broken.
        case syntax
        /// The bytes of a string are not UTF-8.
        case encoding
        /// Arrays and objects are nested deeper than the limit.
        case depth
    }

    /// The kind of fault.
    package var kind: Kind
    /// What was expected or found.
    package var message: String
    /// Bytes before the fault.
    package var offset: Int

    /// The message and the place, for a client's eyes.
    package var description: String { "\(message) at byte \(offset)" }
}
