import Coordinator
import Testing

@Suite struct EventKindTests {
    @Test func `every kind is found by its name, and every other name is other`() {
        for kind in EventKind.allCases { #expect(EventKind(named: kind.name) == kind) }
        for name in [nil, "", "door.open", "Bridge", "pip"] {
            #expect(EventKind(named: name) == .other)
        }
    }

    @Test(arguments: [
        #"{"type":"bridge","handler":"h","body":1}"#, #"{"type":"device.capabilities","pip":true}"#,
        #"{"type":"device.orientation","orientation":"portrait"}"#,
        #"{"type":"device.interface","orientation":"portrait"}"#,
        #"{"type":"device.screen","screen":{"width":1,"height":2}}"#,
        #"{"type":"device.safeArea","safeArea":{"top":0,"left":0,"bottom":0,"right":0}}"#,
        #"{"type":"device.tab","tab":"video"}"#, #"{"type":"device.keyboard","height":0}"#,
        #"{"type":"device.lifecycle","phase":"active"}"#,
        #"{"type":"device.pip","phase":"started"}"#,
        #"{"type":"device.navigation","phase":"finished"}"#, #"{"type":"device.dismissed"}"#,
        #"{"type":"device.disappeared"}"#, #"{"type":"device.report","facts":{}}"#,
        #"{"type":"player.load","vendor":"genius","content":{}}"#, #"{"type":"player.close"}"#,
        #"{"type":"player.sources","sources":[]}"#, #"{"type":"player.source","id":"a"}"#,
        #"{"type":"fullscreen.set","on":true}"#, #"{"type":"fullscreen.toggle"}"#,
        #"{"type":"pip.start"}"#, #"{"type":"pip.stop"}"#, #"{"type":"pip.toggle"}"#,
        #"{"type":"pip.button","visible":true}"#, #"{"type":"betslip.open"}"#,
        #"{"type":"betslip.add","sportsbookSelectionId":"s"}"#,
        #"{"type":"betslip.remove","sportsbookSelectionId":"s"}"#,
        #"{"type":"betslip.update","stake":1}"#, #"{"type":"betslip.close"}"#,
        #"{"type":"betslip.cancel"}"#, #"{"type":"betslip.place","placementId":"p"}"#,
        #"{"type":"betslip.settle","placementId":"p","outcome":"accepted"}"#,
        #"{"type":"widget.update","props":{}}"#, #"{"type":"theme.set","theme":"dark"}"#,
        #"{"type":"locale.set","locale":"de"}"#, #"{"type":"login.complete","accessToken":"t"}"#,
    ])
    func `a decoded event has the kind of its type`(text: String) throws {
        let document = try JSONParser.parse(text: text)
        let event = try Event.decode(document, policy: Policy())
        #expect(event.kind.name == document.root["type"]?.string)
        #expect(event.kind != .other)
    }
}
