package import Coordinator

/// Applies events to one session, one after the other, and prints the answers.
///
/// Confined to the loop of its connection.
package final class Sender {
    /// One thing to send, or what is wrong with it.
    package enum Item: Sendable {
        /// An event.
        case event(JSONDocument)
        /// A text that is not an event; says where and why.
        case unreadable(String)
        /// Nothing more comes.
        case end
    }

    /// Called for each item that is taken up, so that a reader can stay a little ahead only.
    package var onTaken: () -> Void = {}

    private let session: SessionID
    private let takesStage: Bool
    private let isJSON: Bool
    private let world: ToolWorld
    private var link: (any Link)?
    private var waiting: [Item] = []
    private var isReady = false
    private var isBusy = false
    private var isFinished = false
    private var exitCode: Int32 = 0

    /// Levels of an event: the line, the call and its data take three of those the server accepts.
    private static let maximumDepth = JSONParser.maximumDepth - 3

    private static let retryMilliseconds: UInt64 = 100

    /// A sender that has not connected; as player it takes the stage first.
    package init(session: SessionID, takesStage: Bool, isJSON: Bool, world: ToolWorld) {
        self.session = session
        self.takesStage = takesStage
        self.isJSON = isJSON
        self.world = world
    }

    /// The event of one line.
    ///
    /// - Parameters:
    ///   - line: one JSON object.
    ///   - place: where the line is from, for the message.
    /// - Returns: the event, or what is wrong with the line and where; nil for a blank line.
    package static func item(_ line: Span<UInt8>, from place: String) -> Item? {
        let isBlank = line.indices.allSatisfy { line[$0] == 0x20 || line[$0] == 0x09 }
        guard !isBlank else { return nil }
        do {
            let document = try JSONParser.parse(line, maximumDepth: maximumDepth)
            guard document.root.object != nil else {
                return .unreadable("\(place): an event is an object, not \(document.root.kindName)")
            }
            if let defect = document.defects.first(where: { $0.kind == .loneSurrogate }) {
                let location = PlainText.escaped(defect.location(from: "event"))
                return .unreadable("\(place): half a surrogate pair in \(location)")
            }
            return .event(document)
        } catch {
            return .unreadable("\(place): \(error.description)")
        }
    }

    /// Connects.
    package func start() {
        link = world.dial { [weak self] event in self?.received(event) }
    }

    /// Adds something to send.
    package func add(_ item: Item) {
        waiting.append(item)
        sendNext()
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
            let role = JSONDocument(root: ["role": "mirror"])
            subscribe(.init(channel: "session:\(session)", data: role)) { sender in
                guard sender.takesStage else { return sender.ready() }
                sender.subscribe(.init(channel: "stage:\(sender.session)")) { $0.ready() }
            }
        case .push(.unsubscribe(let channel, let why)):
            world.note("unsubscribed from \(channel): \(PlainText.escaped(why.reason))")
        case .push: break
        case .ended(let end):
            world.note(PlainText.escaped(end.description))
            finish(1)
        }
    }

    private func subscribe(
        _ request: Coordinator.Command.Subscribe, then: @escaping (Sender) -> Void
    ) {
        link?.request(.subscribe(request)) { [weak self] result in
            guard let self, !self.isFinished else { return }
            switch result {
            case .success: then(self)
            case .failure(.refused(let error)):
                self.report(error)
                self.finish(1)
            case .failure(.lost): break  // The end of the connection is told too.
            }
        }
    }

    private func ready() {
        isReady = true
        sendNext()
    }

    private func sendNext() {
        guard isReady, !isBusy, !isFinished, !waiting.isEmpty else { return }
        let item = waiting.removeFirst()
        onTaken()
        switch item {
        case .end: finish(exitCode)
        case .unreadable(let why):
            world.note(why)
            finish(2)
        case .event(let event):
            isBusy = true
            send(event)
        }
    }

    private func send(_ event: JSONDocument) {
        let data: JSON = ["session": .string(session.description), "event": event.root]
        let request = Coordinator.Command.Request.rpc(
            method: "session.apply", data: JSONDocument(root: data))
        link?.request(request) { [weak self] result in
            guard let self, !self.isFinished else { return }
            switch result {
            // After a lost connection nothing more is sent; its end brings the exit code.
            case .failure(.lost): break
            // Too many events a second are no fault of the event: it goes again a little later.
            case .failure(.refused(let error)) where error.code == 111:
                self.world.schedule(Self.retryMilliseconds) { [weak self] in self?.send(event) }
            case .success, .failure(.refused):
                self.isBusy = false
                self.answered(result)
                self.sendNext()
            }
        }
    }

    private func answered(_ result: Result<Reply.Body, RequestFailure>) {
        switch result {
        case .success(.rpc(let bytes)):
            guard let value = try? JSONParser.parse(bytes.span).root else {
                world.note("an answer that is not JSON")
                exitCode = 1
                return
            }
            world.print(isJSON ? PlainText.json(value) : Self.text(of: value))
        case .success:
            world.note("another kind of reply")
            exitCode = 1
        case .failure(.refused(let error)):
            report(error)
            exitCode = 1
        case .failure(.lost): break
        }
    }

    private func report(_ error: ReplyError) {
        guard isJSON else {
            return world.note("\(error.code) \(PlainText.escaped(error.message))")
        }
        let fields: JSON = ["code": .integer(error.code), "message": .string(error.message)]
        world.note(PlainText.json(["error": fields]))
    }

    /// An answer for people: the revision, then whatever else the result holds.
    private static func text(of answer: JSON) -> String {
        var lines = ["rev \(answer["rev"].map(PlainText.json) ?? "?")"]
        for member in answer.object?.members ?? [] where member.key != "rev" {
            switch member.value {
            case true: lines[0] += ", \(PlainText.escaped(member.key))"
            case .array(let elements) where member.key == "warnings":
                for warning in elements {
                    let code = warning["code"]?.string ?? "?"
                    let message = warning["message"]?.string ?? ""
                    lines.append("warning: " + PlainText.escaped("\(code): \(message)"))
                }
            default:
                lines.append("\(PlainText.escaped(member.key)): \(PlainText.json(member.value))")
            }
        }
        return lines.joined(separator: "\n")
    }
}
