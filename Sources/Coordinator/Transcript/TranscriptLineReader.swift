/// Reads one line of a transcript that is a step.
struct TranscriptLineReader {
    /// The line, counted from 1.
    let line: Int
    /// The line, its definitions put in.
    let document: JSONDocument
    /// What is wrong with it.
    var faults: [TranscriptFault] = []

    private static let actions = ["event", "attach", "detach", "take", "ack", "expire"]
    private static let members = ["note", "at", "by"] + actions + ["expect"]
    /// Members that the reader of the whole has judged already.
    private static let directives = ["define", "configuration"]
    private static let expectations = [
        "rev", "patch", "unchanged", "signal", "error", "effects", "pending", "warnings", "answer",
        "state",
    ]
    private static let timers = [
        "toast.expired", "placement.expired", "stage.vacated", "effect.failed",
    ]
    private static let roles: [Role] = [.player, .mirror, .observer, .api, .system]
    /// The latest time: a whole number that every JSON reader holds exactly.
    private static let maximumTime: UInt64 = 9_007_199_254_740_991

    init(line: Int, document: JSONDocument) {
        self.line = line
        self.document = document
    }

    /// The step; nil when something is wrong with the line.
    mutating func step() -> TranscriptStep? {
        let root = document.root
        for member in root.object?.members ?? []
        where !Self.members.contains(member.key) && !Self.directives.contains(member.key) {
            report(member.key, "unknown member; allowed: \(Self.list(Self.members))")
        }
        let at = time(root["at"])
        let by = sender(root["by"])
        let expectation = expectation(root["expect"])
        let named = Self.actions.filter { root[$0] != nil }
        guard named.count == 1 else {
            let found = named.isEmpty ? "none" : Self.list(named)
            report(nil, "found \(found); allowed: one of \(Self.list(Self.actions))")
            return nil
        }
        guard let by, var step = step(named[0], root[named[0]] ?? .null, by) else { return nil }
        guard faults.isEmpty, let at else { return nil }
        step.at = Instant(milliseconds: at)
        step.expectation = expectation
        return step
    }

    private mutating func report(_ path: String?, _ reason: String) {
        faults.append(TranscriptFault(line: line, path: path, reason: reason))
    }

    private mutating func mistyped(_ path: String, _ value: JSON?, _ allowed: String) {
        report(path, "\(Self.found(value)); allowed: \(allowed)")
    }

    private static func found(_ value: JSON?) -> String {
        switch value {
        case nil: "missing"
        case .string?, .number?, .bool?, .null?:
            "found \(value.map { JSONWriter.text(of: $0) } ?? "")"
        case let value?: "found \(value.kindName)"
        }
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension TranscriptLineReader {
    private mutating func time(_ value: JSON?) -> Int64? {
        guard let at = value?.number?.unsigned, at <= Self.maximumTime else {
            mistyped("at", value, "milliseconds, a whole number from 0 to \(Self.maximumTime)")
            return nil
        }
        return Int64(at)
    }

    private mutating func sender(_ value: JSON?) -> (device: String?, role: Role)? {
        guard let by = value?.object else {
            mistyped("by", value, #"an object such as {"device": "phone-1", "role": "player"}"#)
            return nil
        }
        for member in by.members where !["device", "role"].contains(member.key) {
            report("by.\(member.key)", "unknown member; allowed: device, role")
        }
        guard let role = by["role"]?.string.flatMap(Role.init(rawValue:)) else {
            mistyped("by.role", by["role"], Self.list(Self.roles.map(\.rawValue)))
            return nil
        }
        let needsDevice = role != .system && role != .api
        let device = by["device"]?.string
        guard device?.isEmpty == false || (by["device"] == nil && !needsDevice) else {
            mistyped("by.device", by["device"], "a text that is not empty")
            return nil
        }
        return (device, role)
    }

    private mutating func expectation(_ value: JSON?) -> TranscriptExpectation? {
        guard let value else { return nil }
        guard let expect = value.object else {
            mistyped("expect", value, "an object")
            return nil
        }
        for member in expect.members {
            let path = "expect.\(member.key)"
            switch member.key {
            case "rev":
                if member.value.number?.unsigned == nil {
                    mistyped(path, member.value, "a whole number")
                }
            case "unchanged", "signal":
                if member.value.bool == nil { mistyped(path, member.value, "true or false") }
            case "patch", "answer", "state":
                if member.value.object == nil { mistyped(path, member.value, "an object") }
            case "effects", "pending", "warnings": list(member.value, path)
            case "error": error(member.value, path)
            default: report(path, "unknown member; allowed: \(Self.list(Self.expectations))")
            }
        }
        return TranscriptExpectation(expect)
    }

    private mutating func list(_ value: JSON, _ path: String) {
        guard let elements = value.array else { return mistyped(path, value, "an array") }
        for (index, element) in elements.enumerated()
        where element.object == nil && element.string == nil {
            mistyped("\(path)[\(index)]", element, "an object or a text")
        }
    }

    private mutating func error(_ value: JSON, _ path: String) {
        switch value {
        case .null, .string: break
        case .number(let number) where number.unsigned != nil: break
        case .object(let object):
            for member in object.members
            where !["code", "reason", "message", "contains"].contains(member.key) {
                report(
                    "\(path).\(member.key)",
                    "unknown member; allowed: code, reason, message, contains")
            }
        case .number, .bool, .array:
            mistyped(path, value, "an object, a code, a reason or null")
        }
    }
}

extension TranscriptLineReader {
    private mutating func step(
        _ name: String, _ value: JSON, _ by: (device: String?, role: Role)
    ) -> TranscriptStep? {
        var step = TranscriptStep(
            line: line, at: Instant(milliseconds: 0), device: by.device, role: by.role,
            action: .detach)
        if by.role == .system, name != "expire", name != "event" {
            report("by.role", #"found "system"; allowed: a device's role for \#(name)"#)
            return nil
        }
        switch name {
        case "event":
            guard value.object != nil else {
                mistyped("event", value, "an object")
                return nil
            }
            if by.role == .system { return recorded(value, step) }
            step.action = .event(document.subdocument("event") ?? JSONDocument(root: value))
        case "expire":
            guard let type = value.string, Self.timers.contains(type) else {
                mistyped("expire", value, Self.list(Self.timers))
                return nil
            }
            step.action = .expire(type)
        case "ack":
            guard let action = acknowledgement(value, "ack") else { return nil }
            step.action = action
        default:
            guard value.object != nil else {
                mistyped(name, value, "an object")
                return nil
            }
            step.action =
                name == "attach" ? .attach(facts: value["facts"]) : name == "take" ? .take : .detach
        }
        return step
    }

    /// An event of the session itself, as it is published: what a device did to bring it.
    private mutating func recorded(_ event: JSON, _ step: TranscriptStep) -> TranscriptStep? {
        var step = step
        let type = event["type"]?.string ?? ""
        switch type {
        case "stage.attached": step.action = .attach(facts: event["facts"])
        case "stage.detached": step.action = .detach
        case "stage.taken": step.action = .take
        case "effect.failed"
        where event["failed"]?.array?.first?["code"]?.string == Transition.lateCode:
            step.action = .expire(type)
            return step
        case "effect.done", "effect.failed":
            guard let action = acknowledgement(event, "event") else { return nil }
            step.action = action
            step.role = .player
            return step
        case _ where Self.timers.contains(type):
            step.action = .expire(type)
            return step
        default:
            let allowed =
                ["stage.attached", "stage.detached", "stage.taken", "effect.done", "effect.failed"]
                + Self.timers
            mistyped("event.type", event["type"], "of the session itself, \(Self.list(allowed))")
            return nil
        }
        guard let device = event["device"]?.string else {
            mistyped("event.device", event["device"], "a text")
            return nil
        }
        step.device = device
        step.role = .player
        return step
    }

    private mutating func acknowledgement(
        _ value: JSON, _ path: String
    ) -> TranscriptStep.Action? {
        guard value.object != nil else {
            mistyped(path, value, "an object with done, failed or both")
            return nil
        }
        var done: [UInt64] = []
        for (index, element) in elements(of: value, "done", path).enumerated() {
            guard let seq = element.number?.unsigned else {
                mistyped("\(path).done[\(index)]", element, "a whole number")
                continue
            }
            done.append(seq)
        }
        var failed: [EffectFailure] = []
        for (index, element) in elements(of: value, "failed", path).enumerated() {
            guard let seq = element["seq"]?.number?.unsigned, let code = element["code"]?.string,
                let message = element["message"]?.string
            else {
                mistyped(
                    "\(path).failed[\(index)]", element,
                    "an object with seq, a whole number, code and message, texts")
                continue
            }
            failed.append(EffectFailure(seq: seq, code: code, message: message))
        }
        return .acknowledge(done: done, failed: failed)
    }

    private mutating func elements(of value: JSON, _ key: String, _ path: String) -> [JSON] {
        guard let list = value[key] else { return [] }
        guard let elements = list.array else {
            mistyped("\(path).\(key)", list, "an array")
            return []
        }
        return elements
    }
}
