/// The merge patch between two states (RFC 7396), written as text while it is found.
///
/// Members come in the order of the state's JSON, those that were removed behind all others of their
/// section: as ``MergePatch/diff(from:to:)`` of the whole has it, without writing down what did not
/// change.
struct PatchText {
    private var writer = JSONWriter(capacity: 128)
    /// Whether nothing differs so far, in the object that is being written.
    private(set) var isEmpty = true
    private var removals: [StaticString] = []

    /// A patch without any change so far.
    init() {
        writer.raw("{")
    }

    /// The whole; nothing can be added any more.
    consuming func finished() -> [UInt8] {
        close()
        return writer.bytes
    }

    private mutating func close() {
        for key in removals { write(key) { $0.raw("null") } }
        writer.raw("}")
    }

    private mutating func write(_ key: StaticString, _ value: (inout JSONWriter) -> Void) {
        writer.name(key, isFirst: isEmpty)
        isEmpty = false
        value(&writer)
    }

    /// Compares a text by its bytes.
    mutating func text(_ key: StaticString, from old: String?, to new: String?) {
        switch (old, new) {
        case (let old?, let new?) where old.hasSameBytes(as: new): break
        case (_, let new?): write(key) { $0.string(new) }
        case (_?, nil): removals.append(key)
        case (nil, nil): break
        }
    }

    /// Compares a value that has one text only; it is written when it differs.
    mutating func value<Value: Equatable>(
        _ key: StaticString, from old: Value, to new: Value,
        _ value: (Value, inout JSONWriter) -> Void
    ) {
        if old != new { write(key) { value(new, &$0) } }
    }

    /// Compares member by member what is there both times.
    mutating func object<Value>(
        _ key: StaticString, from old: Value?, to new: Value?, _ json: (Value) -> JSON,
        _ members: (Value, Value, inout PatchText) -> Void
    ) {
        switch (old, new) {
        case (let old?, let new?): object(key) { members(old, new, &$0) }
        case (nil, let new?): write(key) { $0.write(json(new)) }
        case (_?, nil): removals.append(key)
        case (nil, nil): break
        }
    }

    /// Compares what is made JSON for that.
    mutating func json(_ key: StaticString, from old: JSON?, to new: JSON?) {
        switch (old, new) {
        case (let old?, let new?):
            if let patch = MergePatch.diff(from: old, to: new) { write(key) { $0.write(patch) } }
        case (nil, let new?): write(key) { $0.write(new) }
        case (_?, nil): removals.append(key)
        case (nil, nil): break
        }
    }

    /// Tells of a removal in its place.
    mutating func remove(_ key: StaticString) {
        write(key) { $0.raw("null") }
    }

    /// Writes an object that is left out when nothing in it differs.
    mutating func object(_ key: StaticString, _ members: (inout PatchText) -> Void) {
        let (start, wasEmpty, outer) = (writer.bytes.count, isEmpty, removals)
        write(key) { $0.raw("{") }
        (isEmpty, removals) = (true, [])
        members(&self)
        if isEmpty, removals.isEmpty {
            writer.cut(at: start)
            isEmpty = wasEmpty
        } else {
            close()
            isEmpty = false
        }
        removals = outer
    }
}
