/// The sheet that the stage was asked to show last.
package struct SheetMemory: Sendable, Equatable {
    /// Recognises the same sheet, without keeping the secrets of its addresses.
    package var digest: [UInt8]
    /// When it was asked for.
    package var at: Instant
}
