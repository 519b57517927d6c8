import Coordinator
import Testing

@Suite struct EffectTests {
    private func written(_ order: EffectOrder) -> String {
        var outbox = Outbox()
        return JSONWriter.text(of: outbox.append(order, rev: 42, limit: 64).effect.json)
    }

    @Test(
        arguments: [
            (.hideKeyboard, #""kind":"hideKeyboard""#), (.reportFacts, #""kind":"reportFacts""#),
            (.dismissPlayer, #""kind":"dismissPlayer""#),
            (.setFullscreen(true), #""kind":"setFullscreen","on":true"#),
            (.setKeepAwake(false), #""kind":"setKeepAwake","on":false,"refreshSeconds":10"#),
            (
                .requestOrientation(.landscapeRight),
                #""kind":"requestOrientation","orientation":"landscapeRight""#
            ),
            (
                .evaluateJavaScript(.close, "a(\"</b>\")"),
                #""kind":"evaluateJavaScript","script":"a(\"</b>\")""#
            ),
            (
                .placeBet(id: "p", SessionState().betslip),
                #""kind":"placeBet","placementId":"p","selections":[]"#
            ),
        ] as [(EffectOrder, String)])
    func `an effect has its number, its revision, its kind and its fields`(
        order: EffectOrder, fields: String
    ) {
        #expect(written(order) == #"{"seq":1,"rev":42,\#(fields)}"#)
    }

    @Test func `only what sets one thing has a merge key, each its own`() {
        let merging: [EffectOrder] = [
            .setFullscreen(true), .setKeepAwake(true), .requestOrientation(.portrait),
            .evaluateJavaScript(.fullscreen, ""), .evaluateJavaScript(.close, ""),
        ]
        let keys = merging.compactMap(\.mergeKey)
        #expect(Set(keys).count == merging.count)
        #expect(EffectOrder.setFullscreen(false).mergeKey == keys.first)
        for order in [.hideKeyboard, .reportFacts, .dismissPlayer] as [EffectOrder] {
            #expect(order.mergeKey == nil)
        }
    }
}
