import Coordinator
import TestSupport

/// Random events of every type of the contract, the same for the same seed.
///
/// Most suit the present state, so that long ways through the rules come about; the rest does not.
struct RandomEvents {
    var random: SplitMix

    /// What a viewer must find nowhere but on the stage.
    static let secret = "hunter2"

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func number(_ range: Range<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    /// An event for a session in this state, as JSON text.
    mutating func event(in state: SessionState) -> String {
        switch number(0..<100) {
        case 0..<14: rotation()
        case 14..<26: smallWindow()
        case 26..<34: page()
        case 34..<40: device()
        case 40..<48: wish()
        case 48..<66: betslip(in: state)
        case 66..<72: load(in: state)
        case 72..<76: player()
        case 76..<97: message(in: state)
        default: pick(EventSamples.all)
        }
    }

    /// A full report of facts, or nothing.
    mutating func report() -> String? {
        guard chance(70) else { return nil }
        var facts: [String] = []
        if chance(40) { facts.append(#""orientation":"\#(pick(Self.orientations))""#) }
        if chance(40) { facts.append(#""interface":"\#(pick(Self.interfaces))""#) }
        if chance(40) { facts.append(#""lifecycle":"\#(pick(Self.lifecycles))""#) }
        if chance(30) { facts.append(#""pip":"\#(pick(["active", "inactive"]))""#) }
        if chance(30) { facts.append(#""tab":"\#(pick(["video", "video", "stats"]))""#) }
        if chance(30) {
            facts.append(#""capabilities":{"pip":\#(chance(80)),"idiom":"phone","os":"18"}"#)
        }
        facts += geometry()
        return "{" + facts.joined(separator: ",") + "}"
    }
}

// MARK: - Facts about the device

extension RandomEvents {
    static let orientations = [
        "portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown",
        "unknown", "sideways",
    ]
    static let interfaces = ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight"]
    static let lifecycles = ["active", "inactive", "background"]

    private mutating func geometry() -> [String] {
        var members: [String] = []
        if chance(25) {
            members.append(
                #""screen":"#
                    + pick([
                        #"{"width":390,"height":844}"#, #"{"width":844,"height":390}"#,
                        #"{"width":0.5,"height":9e3}"#, #"{"width":-1,"height":1}"#,
                    ]))
        }
        if chance(25) {
            members.append(
                #""safeArea":"#
                    + pick([
                        #"{"top":0,"left":47,"bottom":21,"right":47}"#,
                        #"{"top":47,"left":0,"bottom":34,"right":0}"#,
                        #"{"top":0,"left":0,"bottom":0,"right":0}"#,
                        #"{"top":0,"left":400,"bottom":0,"right":400}"#,
                    ]))
        }
        return members
    }

    private mutating func rotation() -> String {
        let kind = pick(["orientation", "orientation", "interface", "screen", "safeArea"])
        var members = [#""type":"device.\#(kind)""#]
        if kind == "orientation" { members.append(#""orientation":"\#(pick(Self.orientations))""#) }
        if kind == "interface" { members.append(#""orientation":"\#(pick(Self.interfaces))""#) }
        return "{" + (members + geometry()).joined(separator: ",") + "}"
    }

    private mutating func smallWindow() -> String {
        switch number(0..<10) {
        case 0: return #"{"type":"pip.start"}"#
        case 1: return #"{"type":"pip.stop"}"#
        case 2: return #"{"type":"pip.toggle"}"#
        case 3: return #"{"type":"device.report","facts":\#(report() ?? "{}")}"#
        default:
            let phase = pick([
                "willStart", "started", "started", "willStop", "restore", "stopped", "stopped",
                "failed",
            ])
            let error = chance(20) ? #","error":"no route to \#(address())""# : ""
            return #"{"type":"device.pip","phase":"\#(phase)"\#(error)}"#
        }
    }

    private mutating func page() -> String {
        let phase = pick([
            "finished", "finished", "committed", "failed", "provisionalFailed", "newWindow",
            "terminated",
        ])
        let url = chance(60) ? #","url":"\#(address())""# : ""
        return #"{"type":"device.navigation","phase":"\#(phase)"\#(url)}"#
    }

    mutating func address() -> String {
        pick([
            "https://a.example/", "https://a.example/live?token=\(Self.secret)&x=1",
            "http://b.example/privacy", "https://shop.example/item#accessToken=\(Self.secret)",
            "javascript:alert(1)", "not an address",
        ])
    }

    private mutating func device() -> String {
        switch number(0..<8) {
        case 0: #"{"type":"device.capabilities","pip":\#(chance(80)),"idiom":"pad","os":"18"}"#
        case 1: #"{"type":"device.tab","tab":"\#(pick(["video", "stats"]))"}"#
        case 2: #"{"type":"device.keyboard","height":\#(number(0..<300))}"#
        case 3: #"{"type":"device.dismissed"}"#
        case 4: #"{"type":"device.disappeared"}"#
        default: #"{"type":"device.lifecycle","phase":"\#(pick(Self.lifecycles))"}"#
        }
    }
}
