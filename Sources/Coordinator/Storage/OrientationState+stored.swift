extension DeviceOrientation: Storable {}
extension InterfaceOrientation: Storable {}
extension OrientationState.Source: Storable {}
extension OrientationState.Notch: Storable {}

extension OrientationState: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        device = try fields.required("device")
        interface = try fields.optional("interface")
        source = try fields.required("source")
        requested = try fields.optional("requested")
        armed = try fields.required("armed")
        notch = try fields.required("notch")
        screen = try fields.optional("screen")
        safeArea = try fields.optional("safeArea")
        try fields.end()
    }
}

extension OrientationState.Size: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        width = try fields.required("width")
        height = try fields.required("height")
        try fields.end()
    }
}

extension OrientationState.Insets: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        top = try fields.required("top")
        left = try fields.required("left")
        bottom = try fields.required("bottom")
        right = try fields.required("right")
        try fields.end()
    }
}
