import Coordinator
import TestSupport

/// Stored documents written by hand, with every member that there is.
enum StoredSamples {
    static let state = """
        {"vendor":"genius","player":{"phase":"failed","page":3,\
        "content":{"fixtureId":"1","price":1.80,"list":[null,{"a":1e2}],"empty":{}},\
        "url":"https://a.example/?x=1","baseURL":"https://b.example/",\
        "error":{"code":"navigationFailed","message":"no \\u0001 net"},"height":420.5,\
        "locale":"en-GB","theme":"dark","sources":[{"id":"","name":"DEFAULT"},\
        {"id":"7","name":"Wide"}],"source":"","login":"required"},\
        "presentation":{"mode":"fullscreen","tab":"stats"},\
        "orientation":{"device":"faceUp","interface":"landscapeLeft","source":"programmatic",\
        "requested":"landscapeRight","armed":false,"notch":"right",\
        "screen":{"width":390,"height":844.25},\
        "safeArea":{"top":47,"left":0,"bottom":34,"right":0.1}},\
        "pip":{"phase":"stopping","supported":false,"button":true,"overlayHidden":true,\
        "error":"denied"},\
        "betslip":{"visible":true,"status":"placing","revision":7,"selections":[{\
        "sportsbookFixtureId":"f","sportsbookSelectionId":"s","sportsbookMarketId":"m",\
        "sportsbookMarketContext":"c","marketId":"v","decimalPrice":"1.850",\
        "previousPrice":"1.8"},{}],"stake":"10.00","totals":{"price":"1.85","return":"18.50"},\
        "frame":{"top":-1,"left":0.5,"width":250,"height":300},\
        "placement":{"id":"p1","outcome":"unknown","reason":"late","stake":"5","by":"tablet"}},\
        "keepAwake":true,"toast":{"kind":"betPlaced","until":1767225603000},\
        "stage":{"device":"iphone","connected":false}}
        """

    static let emptyState = """
        {"player":{"phase":"idle"},"presentation":{"mode":"inline","tab":"video"},\
        "orientation":{"device":"unknown","source":"none","armed":true,"notch":"none"},\
        "pip":{"phase":"inactive","overlayHidden":false},\
        "betslip":{"visible":false,"status":"empty","revision":0,"selections":[]},\
        "keepAwake":false}
        """

    static let placement = """
        {"number":4,"command":{"placementId":"p1","ifSlip":7,"decimalPrice":"1.850",\
        "stake":"010.0"},"slipRevision":7,"state":{"id":"p1","outcome":"accepted","reason":"ok",\
        "stake":"5","by":"tablet"},"placedAt":1767225600000,"deadline":1767225630000,\
        "offeredTo":"iphone"}
        """

    static let barePlacement = """
        {"number":1,"command":{"placementId":"p0"},"state":{"id":"p0"},"placedAt":-1,"deadline":0}
        """

    /// A memory with every member that needs no key.
    static let openMemory = """
        {"options":{"autoRotate":false,"closeOnPipClose":true},"pageDeaths":[1,2],\
        "remembersClose":true,"lifecycle":"background","lastLandscape":"landscapeLeft",\
        "sawOrientation":true,"stageDevice":"iphone","isStageTaken":true,\
        "stageGraceEnds":1767225600001,\
        "placements":{"p1":\(placement),"p0":\(barePlacement)},\
        "outbox":{"last":12,"effects":{"9":{"rev":4,"kind":"setFullscreen","on":true},\
        "10":{"rev":5,"kind":"requestOrientation","orientation":"portrait"},\
        "2":{"rev":1,"kind":"showToast","toast":{"kind":"betPlaced","until":3}}}}}
        """

    /// A memory with every member: the one above, a page that waits and content with a secret.
    static func memory(secret: String = "hunter2") throws -> SessionMemory {
        var session = try TestSession.staged()
        try session.send(
            #"{"type":"player.load","vendor":"genius","content":{"fixtureId":"1","user":"u","#
                + #""password":"\#(secret)","deviceId":"d","userEmail":"\#(secret)@a.example"}}"#)
        try session.page(#"{"type":"init"}"#)
        try session.send(#"{"type":"fullscreen.set","on":true}"#)
        let loaded = session.viewing.memory
        var memory = try SessionMemory(
            stored: try JSONParser.parse(text: openMemory).root, try StoredMirror.vault())
        memory.content = loaded.content
        memory.pageDigest = loaded.pageDigest
        memory.outbox = loaded.outbox
        return memory
    }
}
