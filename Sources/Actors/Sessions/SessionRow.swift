package import Coordinator

/// A session in a list (contract: protocol, HTTP, `/v1/sessions`).
package struct SessionRow: Sendable, Equatable {
    /// The session's id; of a damaged one perhaps not one that is allowed.
    package var id: String
    /// What is known of it.
    package var content: SessionOutline.Content
    /// Connections that follow it or hold its stage.
    package var clients: Int
    /// Whether it is on disk.
    package var isStored: Bool

    /// A session and who follows it.
    package init(
        id: String, content: SessionOutline.Content, clients: Int = 0, isStored: Bool = true
    ) {
        self.id = id
        self.content = content
        self.clients = clients
        self.isStored = isStored
    }

    /// The row as a list has it; of a damaged session nothing but the fault is known.
    package var json: JSON {
        var object = JSONObject()
        object.append("session", .string(id))
        switch content {
        case .known(let epoch, let revision, let vendor, let phase):
            object.append("epoch", .string(epoch))
            object.append("rev", .integer(revision))
            object.append("vendor", vendor.map { .string($0) } ?? .null)
            object.append("phase", .string(phase))
        case .damaged: break
        }
        object.append("clients", .integer(clients))
        object.append("stored", .bool(isStored))
        if case .damaged(let reason) = content { object.append("fault", .string(reason)) }
        return .object(object)
    }
}

/// Some sessions in the order of their ids.
package struct SessionPage: Sendable, Equatable {
    /// The sessions.
    package var rows: [SessionRow]
    /// The id after which the next page begins; nil when this is the last one.
    package var next: String?
}
