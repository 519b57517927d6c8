package import Coordinator

/// Follows one session and prints what happens in it, across lost connections.
///
/// Confined to the loop of its connection.
package final class Watcher {
    /// How to print.
    package struct Style: Sendable {
        /// The folded state after each change, in place of what changed.
        package var showsState: Bool
        /// One JSON object a line instead of text.
        package var isJSON: Bool
        /// The rules behind each change too.
        package var explains: Bool

        /// A style.
        package init(showsState: Bool = false, isJSON: Bool = false, explains: Bool = false) {
            self.explains = explains
            self.showsState = showsState
            self.isJSON = isJSON
        }
    }

    private let session: SessionID
    private let style: Style
    private let world: ToolWorld
    private var memory = Mirror()
    private var link: (any Link)?
    private var failures = 0
    private var hasFollowed = false
    private var isFinished = false

    /// The longest wait before another attempt to connect, in milliseconds.
    private static let maximumPause: UInt64 = 10_000

    /// A watcher of `session` that has not begun.
    package init(session: SessionID, style: Style, world: ToolWorld) {
        self.session = session
        self.style = style
        self.world = world
    }

    /// Connects and follows until the session is closed or the server refuses.
    package func start() {
        guard !isFinished else { return }
        link = world.dial { [weak self] event in self?.received(event) }
    }

    private func finish(_ code: Int32) {
        guard !isFinished else { return }
        isFinished = true
        link?.close()
        world.finish(code)
    }

    private func received(_ event: LinkEvent) {
        switch event {
        case .opened:
            failures = 0
            follow()
        case .push(.publication(_, let publication)): received(publication)
        case .push(.unsubscribe(_, let why)):
            guard why.code < 2500 else { return follow() }
            world.note("unsubscribed: \(why.code) \(PlainText.escaped(why.reason))")
            finish(why.code == Unsubscribe.closed.code ? 0 : 1)
        case .push(.join), .push(.leave), .push(.disconnect): break
        case .ended(let end):
            world.note(PlainText.escaped(end.description))
            guard hasFollowed, end.invitesReconnect else { return finish(1) }
            failures += 1
            let pause = min(Self.maximumPause, 100 << UInt64(min(failures, 10)))
            // Half of the wait is random, so that many watchers do not come back at once.
            let wait = UInt64.random(in: (pause / 2)...pause)
            world.schedule(wait) { [weak self] in self?.start() }
        }
    }

    private func follow() {
        let asked = memory.position
        let subscribe = Coordinator.Command.Subscribe(
            channel: "session:\(session)", data: JSONDocument(root: ["role": "observer"]),
            recover: asked)
        link?.request(.subscribe(subscribe)) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(.subscribe(let reply)): self.followed(reply, asked: asked)
            case .failure(.lost): break
            case .failure(.refused(let error)):
                self.world.note("\(error.code) \(PlainText.escaped(error.message))")
                self.finish(1)
            case .success:
                self.world.note("the server answered subscribe with another kind of reply")
                self.finish(1)
            }
        }
    }

    private func followed(_ reply: Reply.Subscribe, asked: StreamPosition?) {
        hasFollowed = true
        if reply.recovered {
            world.note("connected again, \(reply.publications.count) revisions were missed")
            // Taken one by one, so that each is printed with the state it led to.
            var head = reply
            head.publications = []
            _ = memory.subscribed(head, asked: asked)
            for publication in reply.publications { received(publication) }
            return noteFaults()
        }
        if asked != nil {
            world.note("connected again, but the missed revisions are gone: a new snapshot")
        }
        guard memory.subscribed(reply, asked: asked) != nil else {
            noteFaults()
            return finish(1)
        }
        noteFaults()
        printSnapshot()
    }

    private func received(_ publication: Publication) {
        guard let value = try? JSONParser.parse(publication.data.span).root else {
            return world.note("a publication that is not JSON")
        }
        let item = memory.received(publication)
        noteFaults()
        if style.isJSON {
            guard style.showsState else { return world.print(PlainText.json(explained(value))) }
            if case .revision = item { printSnapshot() }
            return
        }
        guard style.showsState else {
            world.print(WatchLine.text(of: value))
            if style.explains { world.print(WatchLine.explanation(of: value)) }
            return
        }
        if case .revision = item, let state = memory.state {
            world.print(PlainText.indentedJSON(state))
        }
    }

    /// The publication with its explanations, when they are asked for.
    private func explained(_ publication: JSON) -> JSON {
        guard style.explains, var object = publication.object else { return publication }
        let explanations = Explainer.explanations(of: publication).map(\.json)
        object.append("explain", .array(explanations))
        return .object(object)
    }

    private func printSnapshot() {
        guard let position = memory.position, let state = memory.state else { return }
        if style.isJSON {
            let epoch = JSON.string(position.epoch)
            let snapshot: JSON = [
                "epoch": epoch, "rev": .integer(position.offset), "state": state,
            ]
            return world.print(PlainText.json(snapshot))
        }
        guard !style.showsState else { return world.print(PlainText.indentedJSON(state)) }
        let epoch = PlainText.escaped(position.epoch)
        world.print("rev \(position.offset)  following \(session), epoch \(epoch)")
    }

    private func noteFaults() {
        for fault in memory.takeFaults() {
            world.note(
                "broken stream: \(fault.kind.rawValue): \(PlainText.escaped(fault.description))")
        }
    }
}
