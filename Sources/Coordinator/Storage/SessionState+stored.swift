extension Vendor: Storable {}

extension SessionState: Storable {
    /// Reads what ``json`` wrote: the exact inverse, numbers and amounts with their digits.
    ///
    /// - Throws: ``StorageFault`` for a member that is missing, mistyped, unknown or there twice.
    package init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        vendor = try fields.optional("vendor")
        player = try fields.required("player")
        presentation = try fields.required("presentation")
        orientation = try fields.required("orientation")
        pip = try fields.required("pip")
        betslip = try fields.required("betslip")
        keepAwake = try fields.required("keepAwake")
        toast = try fields.optional("toast")
        stage = try fields.optional("stage")
        try fields.end()
    }
}
