/// How many sessions there are, by what is so of them now.
package struct SessionCounts: Sendable, Equatable {
    /// In memory, with clients.
    package var attached = 0
    /// Without clients, on disk alone or not yet.
    package var suspended = 0
    /// Deleted, and their placements are remembered.
    package var closed = 0
    /// Found damaged since the start, and set aside.
    package var quarantined = 0

    /// None.
    package init() {}

    init(_ holdings: StoreHoldings, attached: Int) {
        self.attached = attached
        closed = holdings.remembered
        quarantined = holdings.setAside
        suspended = max(0, holdings.sessions - attached - quarantined)
    }
}
