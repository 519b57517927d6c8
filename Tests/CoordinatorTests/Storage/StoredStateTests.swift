import Coordinator
import Testing

@Suite struct StoredStateTests {
    private func decode(_ text: String) throws -> SessionState {
        try SessionState(stored: try JSONParser.parse(text: text).root)
    }

    @Test func `every member is read`() throws {
        let state = try decode(StoredSamples.state)
        #expect(state.vendor == .genius)
        #expect(state.player.phase == .failed && state.player.page == 3)
        #expect(state.player.content?["price"]?.number?.text == "1.80")
        #expect(state.player.content?["list"] == [.null, ["a": .number(JSONNumber(text: "1e2"))]])
        #expect(state.player.url == "https://a.example/?x=1")
        #expect(state.player.baseURL == "https://b.example/")
        #expect(state.player.error?.code == "navigationFailed")
        #expect(state.player.error?.message == "no \u{1} net")
        #expect(state.player.height == 420.5)
        #expect(state.player.locale == "en-GB" && state.player.theme == "dark")
        #expect(state.player.sources?.map(\.name) == ["DEFAULT", "Wide"])
        #expect(state.player.source == "" && state.player.login == "required")
        #expect(state.presentation.mode == .fullscreen && state.presentation.tab == .stats)
        #expect(state.orientation.device == .faceUp)
        #expect(state.orientation.interface == .landscapeLeft)
        #expect(state.orientation.source == .programmatic)
        #expect(state.orientation.requested == .landscapeRight)
        #expect(!state.orientation.armed && state.orientation.notch == .right)
        #expect(state.orientation.screen?.height == 844.25)
        #expect(state.orientation.safeArea?.right == 0.1)
        #expect(state.pip.phase == .stopping && state.pip.supported == false)
        #expect(state.pip.button == true && state.pip.overlayHidden && state.pip.error == "denied")
        #expect(state.keepAwake)
        #expect(state.toast?.until == Instant(milliseconds: 1_767_225_603_000))
        #expect(state.stage?.device == "iphone" && state.stage?.connected == false)
    }

    @Test func `amounts of the slip keep their digits`() throws {
        let slip = try decode(StoredSamples.state).betslip
        #expect(slip.visible && slip.status == .placing && slip.revision == 7)
        #expect(slip.selections.count == 2)
        #expect(slip.selections[0].decimalPrice?.text == "1.850")
        #expect(slip.selections[0].previousPrice?.text == "1.8")
        #expect(slip.selections[0].sportsbookMarketContext == "c")
        #expect(slip.selections[0].marketId == "v")
        #expect(slip.selections[1].decimalPrice == nil)
        #expect(slip.stake?.text == "10.00")
        #expect(slip.frame?.top == -1)
        #expect(slip.placement?.outcome == .unknown && slip.placement?.stake?.text == "5")
        #expect(slip.placement?.reason == "late" && slip.placement?.by == "tablet")
    }

    @Test(arguments: [StoredSamples.state, StoredSamples.emptyState])
    func `what is read is written again byte for byte`(text: String) throws {
        #expect(JSONWriter.text(of: try decode(text).json) == text)
    }

    @Test func `a new session is read from its own text`() throws {
        #expect(try decode(StoredSamples.emptyState) == SessionState())
    }

    @Test(arguments: [
        ("player", "phase"), ("presentation", "mode"), ("presentation", "tab"),
        ("orientation", "device"), ("orientation", "source"), ("orientation", "armed"),
        ("orientation", "notch"), ("pip", "phase"), ("pip", "overlayHidden"),
        ("betslip", "visible"), ("betslip", "status"), ("betslip", "revision"),
        ("betslip", "selections"),
    ])
    func `a member that is always written is missed`(section: String, member: String) throws {
        var object = try #require(try JSONParser.parse(text: StoredSamples.emptyState).root.object)
        var inner = try #require(object[section]?.object)
        inner[member] = nil
        object[section] = .object(inner)
        #expect(throws: StorageFault("missing", at: [section, member])) {
            try SessionState(stored: .object(object))
        }
    }

    @Test(arguments: ["player", "presentation", "orientation", "pip", "betslip", "keepAwake"])
    func `a section that is always written is missed`(section: String) throws {
        var object = try #require(try JSONParser.parse(text: StoredSamples.emptyState).root.object)
        object[section] = nil
        #expect(throws: StorageFault("missing", at: [section])) {
            try SessionState(stored: .object(object))
        }
    }

    @Test(arguments: [
        (#""revision":7"#, #""revision":9223372036854775808"#, ["betslip", "revision"]),
        (#""revision":7"#, #""revision":-1"#, ["betslip", "revision"]),
        (#""revision":7"#, #""revision":7.5"#, ["betslip", "revision"]),
        (#""until":1767225603000"#, #""until":1e3"#, ["toast", "until"]),
        (#""height":420.5"#, #""height":1e999"#, ["player", "height"]),
        (#""stake":"10.00""#, #""stake":"-1""#, ["betslip", "stake"]),
        (#""stake":"10.00""#, #""stake":"1e1""#, ["betslip", "stake"]),
        (#""price":"1.85""#, #""price":"1.86""#, ["betslip", "totals"]),
        (#""return":"18.50""#, #""return":"18.5""#, ["betslip", "totals"]),
        (#""name":"Wide""#, #""name":7"#, ["player", "sources", "1", "name"]),
        (#""tab":"stats""#, #""tab":"Stats""#, ["presentation", "tab"]),
        (#""keepAwake":true"#, #""keepAwake":true,"keepAwake":true"#, ["keepAwake"]),
    ])
    func `a bad value is named by its path`(
        good: String, bad: String, path: [String]
    ) throws {
        let text = StoredSamples.state.replacing(good, with: bad)
        let fault = #expect(throws: StorageFault.self) { try decode(text) }
        #expect(fault?.path == path)
    }

    @Test func `a fault says where and what`() {
        #expect("\(StorageFault("missing", at: ["betslip", "stake"]))" == "betslip.stake: missing")
        #expect("\(StorageFault("missing"))" == "missing")
    }
}
