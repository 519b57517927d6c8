extension SheetMemory {
    /// As it is stored; the digest is sealed, since it could be tried out against guessed secrets.
    func stored(_ vault: Vault) -> JSON {
        ["digest": vault.seal(digest), "at": .integer(at.milliseconds)]
    }

    /// Reads a stored one.
    ///
    /// - Throws: ``StorageFault`` as for any memory.
    init(stored json: JSON, _ vault: Vault) throws(StorageFault) {
        var fields = try StoredFields(json)
        digest = try fields.required("digest", vault.open)
        at = try fields.required("at")
        try fields.end()
    }
}
