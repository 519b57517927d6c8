package import Coordinator

/// A phone as far as the session can see and steer it: web view, screen, small window, keep-awake.
///
/// A machine of plain values: effects and the viewer's acts go in, reactions come out. What takes its
/// time comes out as an act, which the owner hands in again after a while.
package struct ModelledDevice: Sendable, Equatable {
    /// The small window of picture-in-picture.
    package enum SmallWindow: String, Sendable {
        /// → `starting`.
        case none
        /// → `active`, `none` (cancelled or failed).
        case starting
        /// → `stopping`.
        case active
        /// → `none`.
        case stopping
    }

    /// Something that happens a while after its cause.
    package enum Act: Sendable, Equatable {
        /// The document of a page is there.
        case pageArrives(generation: UInt64)
        /// The screen turns for effect `seq`.
        case screenTurns(PhoneSide, seq: UInt64, acknowledgesFirst: Bool)
        /// The oldest script that waits runs.
        case scriptRuns
        /// Try number `attempt` to open the small window succeeds, for effect `seq` or by itself.
        case windowOpens(attempt: Int, seq: UInt64?)
        /// Try number `attempt` to open the small window fails.
        case windowFails(attempt: Int, seq: UInt64?)
        /// The small window goes, for effect `seq` or by itself.
        case windowCloses(seq: UInt64?)
    }

    /// A script that is not evaluated yet.
    struct HeldScript: Sendable, Equatable {
        var text: String
        var seq: UInt64
        /// Milliseconds that it waits; 0 for one that only keeps its place.
        var delay: UInt64
    }

    /// Why an effect was not carried out.
    package struct Failure: Sendable, Equatable {
        /// For programs.
        package var code: String
        /// For people.
        package var message: String
    }

    /// What the owner has to do.
    package enum Reaction: Sendable, Equatable {
        /// Acknowledge an effect.
        case acknowledge(UInt64, Failure? = nil)
        /// Send a fact.
        case tell(JSON)
        /// Hand the act in again after a while, in milliseconds.
        case later(Act, ClosedRange<UInt64>)
        /// Let the page say that it is ready.
        case pageIsUp(UInt64)
        /// Give the bet to the book.
        case offered(placement: String)
        /// Let the viewer log in.
        case logIn
        /// Note that the session asked for something that makes no sense.
        case complain(String)
    }

    /// The page in the web view; nil for none.
    package internal(set) var page: ModelledPage?
    /// Whether the player's view is on the screen.
    package internal(set) var isShown = false
    /// Whether it fills the screen.
    package internal(set) var isFullscreen = false
    /// Whether the device does not fall asleep.
    package internal(set) var staysAwake = false
    /// The small window.
    package internal(set) var window = SmallWindow.none
    /// How the phone is held.
    package internal(set) var side = PhoneSide.portrait
    /// How the screen is drawn, as the side that draws it so.
    package internal(set) var interface = PhoneSide.portrait
    /// The tab in front.
    package internal(set) var tab = "video"
    /// Where the app is.
    package internal(set) var lifecycle = "active"
    /// Turns of the screen that will be refused.
    package var rotationsToRefuse = 0
    /// Whether the next small window will be refused.
    package var refusesSmallWindow = false

    /// The scripts that the vendor's pages know.
    let marks: [ScriptMark]
    var newestTurn: UInt64 = 0
    /// Scripts in the order of their effects: the first waits for its time, the others for the first.
    var heldScripts: [HeldScript] = []
    var attempts = 0
    /// A stop that came while the small window was opening, to be done once it is open.
    var stopAfterOpening: UInt64?

    /// A phone in the viewer's hand, without a page.
    package init(marks: [ScriptMark]) {
        self.marks = marks
    }

    /// Equal in everything but the scripts, which are no part of what happens.
    package static func == (left: ModelledDevice, right: ModelledDevice) -> Bool {
        left.page == right.page && left.isShown == right.isShown
            && left.isFullscreen == right.isFullscreen && left.staysAwake == right.staysAwake
            && left.window == right.window && left.side == right.side
            && left.interface == right.interface && left.tab == right.tab
            && left.lifecycle == right.lifecycle
    }

    /// A full report of the facts (contract: domain, section 3.1, `device.report`); of a small window
    /// that goes it says nothing.
    package var facts: JSON {
        var facts = JSONObject([
            .init(key: "orientation", value: .string(side.rawValue)),
            .init(key: "interface", value: .string(interface.interface)),
            .init(key: "screen", value: PhoneEvents.screen(interface)),
            .init(key: "safeArea", value: PhoneEvents.safeArea(interface)),
            .init(key: "tab", value: .string(tab)),
            .init(key: "lifecycle", value: .string(lifecycle)),
            .init(
                key: "capabilities", value: ["pip": true, "idiom": "phone", "os": "iOS 26.0"]),
        ])
        switch window {
        case .none, .starting: facts.append("pip", "inactive")
        case .active: facts.append("pip", "active")
        case .stopping: break
        }
        return .object(facts)
    }
}

extension ModelledDevice {
    /// Something of the viewer or the operating system.
    package mutating func live(_ step: PhoneStep) -> [Reaction] {
        switch step {
        case .rotate(let sides):
            side = sides.last ?? side
            interface = side
            return sides.flatMap {
                [.tell(PhoneEvents.orientation($0)), .tell(PhoneEvents.interface($0))]
            }
        case .tab(let tab):
            self.tab = tab
            return [.tell(["type": "device.tab", "tab": .string(tab)])]
        case .keyboard(let height):
            return [.tell(["type": "device.keyboard", "height": .integer(height)])]
        case .lifecycle(let phase):
            lifecycle = phase
            return [.tell(["type": "device.lifecycle", "phase": .string(phase)])]
        case .processDied:
            page = nil
            return [.tell(PhoneEvents.navigation("terminated"))] + loseWindow()
        case .swipe:
            guard isFullscreen else { return [] }
            isFullscreen = false
            return [.tell(["type": "device.dismissed"])]
        case .navigation(let phase, let url):
            return [.tell(PhoneEvents.navigation(phase, url: url))]
        case .refuseRotations(let count):
            rotationsToRefuse = count
            return []
        case .refuseSmallWindow:
            refusesSmallWindow = true
            return []
        case .smallWindow(let act): return live(act)
        case .message, .readyAgain, .command, .load, .place, .takeOver, .pause: return []
        }
    }

    private mutating func live(_ act: PhoneStep.WindowAct) -> [Reaction] {
        switch act {
        case .startsByItself:
            guard window == .none, page?.isUp == true else { return [] }
            return openWindow(seq: nil)
        case .restored:
            guard window == .active else { return [] }
            return [.tell(PhoneEvents.smallWindow("restore"))] + closeWindow(seq: nil)
        case .closed:
            guard window == .active else { return [] }
            return closeWindow(seq: nil)
        }
    }

    mutating func openWindow(seq: UInt64?) -> [Reaction] {
        window = .starting
        attempts += 1
        return [
            .tell(PhoneEvents.smallWindow("willStart")),
            .later(.windowOpens(attempt: attempts, seq: seq), 10...80),
        ]
    }

    mutating func closeWindow(seq: UInt64?) -> [Reaction] {
        window = .stopping
        return [
            .tell(PhoneEvents.smallWindow("willStop")), .later(.windowCloses(seq: seq), 10...80),
        ]
    }

    /// The page that the picture came from is gone.
    mutating func loseWindow() -> [Reaction] {
        switch window {
        case .none, .stopping: []
        case .starting: [.later(.windowFails(attempt: attempts, seq: nil), 1...5)]
        case .active: closeWindow(seq: nil)
        }
    }

    /// Something that began earlier comes to its end.
    package mutating func complete(_ act: Act) -> [Reaction] {
        switch act {
        case .pageArrives(let generation):
            guard page?.generation == generation else { return [] }
            page?.arrive()
            let address = page?.address
            return [
                .tell(PhoneEvents.navigation("committed", url: address)),
                .tell(PhoneEvents.navigation("finished", url: address)), .pageIsUp(generation),
            ]
        case .screenTurns(let side, let seq, let acknowledgesFirst):
            // A newer request has taken its place.
            guard seq >= newestTurn else { return [.acknowledge(seq)] }
            interface = side
            let told = Reaction.tell(PhoneEvents.interface(side))
            return acknowledgesFirst ? [.acknowledge(seq), told] : [told, .acknowledge(seq)]
        case .scriptRuns: return runHeldScripts()
        case .windowOpens(let attempt, let seq):
            let done = seq.map { [Reaction.acknowledge($0)] } ?? []
            guard window == .starting, attempt == attempts else { return done }
            window = .active
            let opened = [.tell(PhoneEvents.smallWindow("started"))] + done
            guard let stop = stopAfterOpening else { return opened }
            stopAfterOpening = nil
            return opened + closeWindow(seq: stop)
        case .windowFails(let attempt, _):
            guard window == .starting, attempt == attempts else { return [] }
            window = .none
            let stopped = stopAfterOpening.map { [Reaction.acknowledge($0)] } ?? []
            stopAfterOpening = nil
            return [.tell(PhoneEvents.smallWindow("failed", error: "the page is gone"))] + stopped
        case .windowCloses(let seq):
            let done = seq.map { [Reaction.acknowledge($0)] } ?? []
            guard window == .stopping else { return done }
            window = .none
            return [.tell(PhoneEvents.smallWindow("stopped"))] + done
        }
    }

    mutating func run(_ script: String) -> [Reaction] {
        guard var page = self.page else { return [] }
        let name = page.evaluate(script, knowing: marks)
        self.page = page
        return name == nil ? [.complain("a script that the vendor's page does not know")] : []
    }

    /// The app heard that another device has the stage; a small window that is opening by itself, of
    /// which the session cannot know yet, is taken back, and a page on its way does not come any more.
    package mutating func loseStage() {
        if page?.isUp == false { page = nil }
        if window == .starting { window = .none }
        stopAfterOpening = nil
    }

    /// The app gave up the player by itself, since it heard that another device has the stage.
    package mutating func leave() {
        page = nil
        isShown = false
        isFullscreen = false
        staysAwake = false
        window = .none
        stopAfterOpening = nil
    }
}
