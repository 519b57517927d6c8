import Coordinator
import Testing

@Suite struct OutboxTests {
    private func outbox(_ orders: EffectOrder..., limit: Int = 64) -> Outbox {
        var outbox = Outbox()
        for order in orders { _ = outbox.append(order, rev: 1, limit: limit) }
        return outbox
    }

    private func seqs(_ outbox: Outbox) -> [UInt64] { outbox.effects.map(\.seq) }

    @Test func `effects are numbered from one and kept in order`() {
        var outbox = Outbox()
        let (first, overflowed) = outbox.append(.hideKeyboard, rev: 7, limit: 64)
        let (second, _) = outbox.append(.hideKeyboard, rev: 8, limit: 64)
        #expect(first.seq == 1 && first.rev == 7 && first.order == .hideKeyboard)
        #expect(second.seq == 2 && second.rev == 8)
        #expect(!overflowed)
        #expect(outbox.effects == [first, second])
    }

    @Test func `an effect of the same merge key goes to the end and the earlier one goes`() {
        let outbox = outbox(
            .setFullscreen(true), .hideKeyboard, .setKeepAwake(true), .setFullscreen(false))
        #expect(
            outbox.effects.map(\.order) == [
                .hideKeyboard, .setKeepAwake(true), .setFullscreen(false),
            ])
        #expect(seqs(outbox) == [2, 3, 4])
    }

    @Test func `scripts merge by name`() {
        let outbox = outbox(
            .evaluateJavaScript(.fullscreen, "a"), .evaluateJavaScript(.close, "b"),
            .evaluateJavaScript(.fullscreen, "c"))
        #expect(
            outbox.effects.map(\.order)
                == [.evaluateJavaScript(.close, "b"), .evaluateJavaScript(.fullscreen, "c")])
    }

    @Test func `a close script that waits before a page stays, one behind it is replaced`() throws {
        let pages = (1...2).map { EffectOrder.openURL("https://example.com/\($0)") }
        let first = outbox(
            .evaluateJavaScript(.close, "a"), pages[0], .evaluateJavaScript(.close, "b"))
        #expect(first.effects.map(\.order) == [pages[0], .evaluateJavaScript(.close, "b")])
        let loading = try TestSession.loading("genius", #"{"fixtureId":"1"}"#)
        let load = try #require(loading.viewing.memory.outbox.effects.first?.order)
        #expect(load.kind == "loadPage")
        let second = outbox(
            .evaluateJavaScript(.close, "a"), load, .evaluateJavaScript(.close, "b"),
            .hideKeyboard, .evaluateJavaScript(.close, "c"))
        #expect(
            second.effects.map(\.order) == [
                .evaluateJavaScript(.close, "a"), load, .hideKeyboard,
                .evaluateJavaScript(.close, "c"),
            ])
        // Other scripts say how a page shall look: the newest counts.
        let third = outbox(
            .evaluateJavaScript(.theme, "a"), load, .evaluateJavaScript(.theme, "b"))
        #expect(third.effects.map(\.order) == [load, .evaluateJavaScript(.theme, "b")])
    }

    @Test func `requests for an orientation merge`() {
        let outbox = outbox(.requestOrientation(.landscapeLeft), .requestOrientation(.portrait))
        #expect(outbox.effects.map(\.order) == [.requestOrientation(.portrait)])
    }

    @Test func `what has no merge key counts each time`() {
        let outbox = outbox(.reportFacts, .reportFacts, .dismissPlayer, .dismissPlayer)
        #expect(seqs(outbox) == [1, 2, 3, 4])
    }

    @Test func `the oldest is dropped beyond the limit`() {
        var outbox = outbox(.hideKeyboard, .reportFacts, limit: 2)
        let (effect, overflowed) = outbox.append(.dismissPlayer, rev: 1, limit: 2)
        #expect(overflowed && effect.seq == 3)
        #expect(seqs(outbox) == [2, 3])
    }

    @Test func `the oldest are dropped beyond the bytes, the newest never`() {
        // Each of these is 1,011 bytes of JSON with its data, and 256 for what is around it.
        let large = EffectOrder.showProduct(.string(String(repeating: "x", count: 1000)))
        var outbox = Outbox()
        for _ in 0..<4 { _ = outbox.append(large, rev: 1, limit: 64, bytes: 5100) }
        #expect(seqs(outbox) == [1, 2, 3, 4])
        #expect(outbox.append(large, rev: 1, limit: 64, bytes: 5100).overflowed)
        #expect(seqs(outbox) == [2, 3, 4, 5])
        let huge = EffectOrder.showProduct(.string(String(repeating: "x", count: 10_000)))
        #expect(outbox.append(huge, rev: 1, limit: 64, bytes: 5100).overflowed)
        #expect(seqs(outbox) == [6])
    }

    @Test func `before the oldest go reports that are asked for again`() {
        var outbox = outbox(.hideKeyboard, .reportFacts, .reportFacts, .dismissPlayer, limit: 4)
        #expect(seqs(outbox) == [1, 2, 3, 4])
        #expect(!outbox.append(.reportFacts, rev: 1, limit: 4).overflowed)
        #expect(seqs(outbox) == [1, 4, 5])
    }

    @Test func `a merged effect makes room before the limit counts`() {
        var outbox = outbox(.setFullscreen(true), .reportFacts, limit: 2)
        #expect(!outbox.append(.setFullscreen(false), rev: 1, limit: 2).overflowed)
        #expect(seqs(outbox) == [2, 3])
    }

    @Test func `an acknowledged effect is taken out once`() {
        var outbox = outbox(.hideKeyboard, .reportFacts)
        #expect(outbox.remove(seq: 1)?.order == .hideKeyboard)
        #expect(outbox.remove(seq: 1) == nil)
        #expect(outbox.remove(seq: 99) == nil)
        #expect(seqs(outbox) == [2])
    }

    @Test func `numbers go on when effects are taken back or not kept`() {
        var outbox = outbox(.hideKeyboard, .reportFacts, .evaluateJavaScript(.close, "x"))
        outbox.removeAll { $0 == .hideKeyboard }
        #expect(seqs(outbox) == [2, 3])
        outbox.removeAll { _ in true }
        #expect(outbox.effects.isEmpty)
        #expect(outbox.nextSeq() == 4)
        #expect(outbox.append(.reportFacts, rev: 2, limit: 64).effect.seq == 5)
        #expect(outbox != Outbox())
    }
}
