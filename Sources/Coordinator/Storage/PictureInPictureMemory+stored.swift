extension OrientationRequest: Storable {
    private var stored: JSON {
        var object = JSONObject()
        object.append("mode", .string(mode.rawValue))
        object.append("armed", .bool(armed))
        object.append("isSecondTry", .bool(isSecondTry))
        object.append("deadline", ifPresent: deadline.map { .integer($0.milliseconds) })
        return .object(object)
    }

    /// The merge patch from the stored form of `old`.
    func change(from old: OrientationRequest?) -> JSON? {
        MergePatch.diff(from: old?.stored ?? .null, to: stored)
    }

    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        mode = try fields.required("mode")
        armed = try fields.required("armed")
        isSecondTry = try fields.required("isSecondTry")
        deadline = try fields.optional("deadline")
        try fields.end()
    }
}

extension PictureInPictureMemory.LateStart: Storable {}

extension PictureInPictureMemory: Storable {
    private var stored: JSON {
        var object = JSONObject()
        object.append("mode", ifPresent: mode.map { .string($0.rawValue) })
        object.append("sawWillStart", .bool(sawWillStart))
        object.append("sawRestore", .bool(sawRestore))
        object.append("startDeadline", ifPresent: startDeadline.map { .integer($0.milliseconds) })
        object.append("isByPage", .bool(isByPage))
        object.append("lateStart", ifPresent: lateStart.map { .string($0.rawValue) })
        object.append("handlers", .array(handlers.map { .string($0) }))
        return .object(object)
    }

    /// The merge patch from the stored form of `old`; nil when nothing is remembered any more.
    func change(from old: PictureInPictureMemory) -> JSON? {
        guard self != PictureInPictureMemory() else { return nil }
        // What was never stored has no members to compare with.
        return MergePatch.diff(
            from: old == PictureInPictureMemory() ? .null : old.stored, to: stored)
    }

    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        mode = try fields.optional("mode")
        sawWillStart = try fields.required("sawWillStart")
        sawRestore = try fields.required("sawRestore")
        startDeadline = try fields.optional("startDeadline")
        isByPage = try fields.required("isByPage")
        lateStart = try fields.optional("lateStart")
        // Written by version 1 of the schema for a moment between two messages; a patch of today
        // would not take it away again, so that it cannot be trusted.
        _ = fields.take("stopsLateStart")
        handlers = try fields.required("handlers")
        try fields.end()
    }
}
