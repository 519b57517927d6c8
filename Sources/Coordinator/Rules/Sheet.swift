internal import Security

/// Sheets that the app shows over the player, for sharing and for the calendar.
extension Transition {
    /// A page that reports one tap twice does so within this time.
    private static let repetitionMilliseconds: Int64 = 1000

    /// Asks the stage to show a sheet, unless it was asked for the same one a moment ago.
    package mutating func offer(_ order: EffectOrder) {
        let digest = order.digest
        if let last = memory.sheet, last.digest == digest,
            now.milliseconds(since: last.at) < Self.repetitionMilliseconds
        {
            return
        }
        memory.sheet = SheetMemory(digest: digest, at: now)
        emit(order)
    }
}

extension EffectOrder {
    /// Recognises the same order again without keeping it.
    fileprivate var digest: [UInt8] {
        let effect = Effect(seq: 0, rev: 0, order: self)
        return SHA256.digest(JSONWriter.bytes(of: effect.json))
    }
}
