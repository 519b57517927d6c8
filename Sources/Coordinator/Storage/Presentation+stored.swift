extension Presentation.Mode: Storable {}
extension Presentation.Tab: Storable {}
extension PictureInPictureState.Phase: Storable {}

extension Presentation: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        mode = try fields.required("mode")
        tab = try fields.required("tab")
        try fields.end()
    }
}

extension PictureInPictureState: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        phase = try fields.required("phase")
        supported = try fields.optional("supported")
        button = try fields.optional("button")
        overlayHidden = try fields.required("overlayHidden")
        error = try fields.optional("error")
        try fields.end()
    }
}

extension Toast: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        kind = try fields.required("kind")
        until = try fields.required("until")
        try fields.end()
    }
}

extension StageState: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        device = try fields.required("device")
        connected = try fields.required("connected")
        try fields.end()
    }
}
