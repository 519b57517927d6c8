extension StoreWriter {
    /// Operations of one loop turn.
    struct Batch: Sendable {
        var operations: [StoreOperation]
        /// A failed transaction takes all batches with it that were posted before its report.
        var generation: UInt64
        /// Whether they are changes that need room and nothing else, as in most turns.
        var isOrdinary = false
    }
}
