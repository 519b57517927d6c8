/// One complete and valid event of every type (contract: domain, section 3).
enum EventSamples {
    static let all =
        device + player + betslip + [
            #"{"type":"bridge","handler":"gsVideoPlayerBridge","body":{"type":"init"},"page":1}"#,
            #"{"type":"fullscreen.set","on":true}"#,
            #"{"type":"fullscreen.toggle"}"#,
            #"{"type":"pip.start"}"#,
            #"{"type":"pip.stop"}"#,
            #"{"type":"pip.toggle"}"#,
            #"{"type":"pip.button","visible":true}"#,
            ##"{"type":"widget.update","selector":"#w","props":{"a":1}}"##,
            #"{"type":"theme.set","theme":"dark"}"#,
            #"{"type":"locale.set","locale":"en-GB"}"#,
            #"{"type":"login.complete","accessToken":"t"}"#,
        ]

    private static let device = [
        #"{"type":"device.capabilities","pip":true,"idiom":"phone","os":"iOS 18"}"#,
        #"{"type":"device.orientation","orientation":"portrait","screen":{"width":390,"height":844},"#
            + #""safeArea":{"top":47,"left":0,"bottom":34,"right":0}}"#,
        #"{"type":"device.interface","orientation":"landscapeRight"}"#,
        #"{"type":"device.screen","screen":{"width":390.5,"height":844}}"#,
        #"{"type":"device.safeArea","safeArea":{"top":47,"left":0,"bottom":34,"right":0}}"#,
        #"{"type":"device.tab","tab":"stats"}"#,
        #"{"type":"device.keyboard","height":0}"#,
        #"{"type":"device.lifecycle","phase":"background"}"#,
        #"{"type":"device.pip","phase":"failed","error":"busy"}"#,
        #"{"type":"device.navigation","phase":"finished","url":"https://a.b/"}"#,
        #"{"type":"device.dismissed"}"#,
        #"{"type":"device.disappeared"}"#,
        #"{"type":"device.report","facts":{}}"#,
    ]

    private static let player = [
        #"{"type":"player.load","vendor":"genius","content":{"fixtureId":"1"}}"#,
        #"{"type":"player.close"}"#,
        #"{"type":"player.sources","sources":[{"id":"","name":"DEFAULT"}]}"#,
        #"{"type":"player.source","id":""}"#,
    ]

    private static let betslip = [
        #"{"type":"betslip.open"}"#,
        #"{"type":"betslip.add","sportsbookSelectionId":"s","decimalPrice":1.85}"#,
        #"{"type":"betslip.remove","sportsbookSelectionId":"s"}"#,
        #"{"type":"betslip.update","stake":"10.00"}"#,
        #"{"type":"betslip.close"}"#,
        #"{"type":"betslip.cancel"}"#,
        #"{"type":"betslip.place","placementId":"p"}"#,
        #"{"type":"betslip.settle","placementId":"p","outcome":"accepted"}"#,
    ]
}
