internal import Coordinator

/// Who follows one session: its subscribers and the presence made of them.
struct Audience {
    private struct Subscriber {
        var peer: any SessionPeer
        var encoding: WireEncoding
        var joinLeave: Bool
    }

    private let channel: Channel
    /// The channel's name, which every publication bears.
    private let name: String
    /// What is published in the present turn.
    private let turn: TurnWriter
    private var subscribers: [Subscriber] = []
    private var places: [UInt64: Int] = [:]
    private(set) var presence = Presence()

    init(session: SessionID, turn: TurnWriter) {
        self.turn = turn
        channel = .session(session)
        name = channel.description
    }

    var isEmpty: Bool { subscribers.isEmpty }

    /// Subscribed connections.
    var count: Int { subscribers.count }

    /// Whether a connection is subscribed.
    func has(_ connection: UInt64) -> Bool { places[connection] != nil }

    /// The numbers of all subscribed connections.
    var connections: [UInt64] { Array(places.keys) }

    mutating func admit(_ peer: any SessionPeer, as info: ClientInfo, joinLeave: Bool) {
        guard places[peer.number] == nil else { return }
        places[peer.number] = subscribers.count
        subscribers.append(
            Subscriber(peer: peer, encoding: peer.encoding, joinLeave: joinLeave))
        if let joined = presence.join(info, connection: peer.number) {
            announce(.join(channel: name, joined))
        }
    }

    mutating func remove(_ connection: UInt64) {
        guard let place = places.removeValue(forKey: connection) else { return }
        let last = subscribers.removeLast()
        if place < subscribers.count {
            subscribers[place] = last
            places[last.peer.number] = place
        }
        if let left = presence.leave(connection: connection) {
            announce(.leave(channel: name, left))
        }
    }

    /// Sends a publication to every subscriber.
    ///
    /// It changes nothing; but what is not mutating would be done on a copy of the whole.
    mutating func publish(_ publication: Publication) {
        var push = SharedPush(.publication(channel: name, publication), in: turn)
        for subscriber in subscribers {
            push.send(to: subscriber.peer, in: subscriber.encoding)
        }
    }

    /// Unsubscribes everyone.
    mutating func dissolve(_ unsubscribe: Unsubscribe) {
        let leaving = subscribers
        subscribers.removeAll()
        places.removeAll()
        presence = Presence()
        for subscriber in leaving {
            subscriber.peer.unsubscribe(from: channel, unsubscribe)
        }
    }

    /// Joins and leaves go to those who asked for them.
    private func announce(_ change: Push) {
        var push = SharedPush(change, in: turn)
        for subscriber in subscribers where subscriber.joinLeave {
            push.send(to: subscriber.peer, in: subscriber.encoding)
        }
    }
}
