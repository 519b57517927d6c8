extension PlayerState.Phase: Storable {}

extension PlayerState: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        phase = try fields.required("phase")
        page = try fields.optional("page")
        content = try fields.optional("content") { (json) throws(StorageFault) in
            guard json.object != nil else { throw .expected("an object", not: json) }
            return json
        }
        url = try fields.optional("url")
        baseURL = try fields.optional("baseURL")
        error = try fields.optional("error")
        height = try fields.optional("height")
        locale = try fields.optional("locale")
        theme = try fields.optional("theme")
        sources = try fields.optional("sources")
        source = try fields.optional("source")
        login = try fields.optional("login")
        try fields.end()
    }
}

extension PlayerState.Fault: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        code = try fields.required("code")
        message = try fields.required("message")
        try fields.end()
    }
}

extension PlayerState.Source: Storable {
    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        id = try fields.required("id")
        name = try fields.required("name")
        try fields.end()
    }
}
