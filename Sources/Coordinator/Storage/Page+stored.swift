extension Page: Storable {
    /// The page as it is sealed.
    var stored: JSONObject {
        var object = JSONObject()
        object.append("page", .integer(generation))
        switch source {
        case .url(let url): object.append("url", .string(url))
        case .html(let html): object.append("html", .string(html))
        }
        object.append("baseURL", ifPresent: baseURL.map { .string($0) })
        object.append("userScripts", .array(userScripts.map { .string($0) }))
        object.append("webView", webView.stored)
        return object
    }

    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        generation = try fields.required("page")
        let url: String? = try fields.optional("url")
        let html: String? = try fields.optional("html")
        switch (url, html) {
        case (let url?, nil): source = .url(url)
        case (nil, let html?): source = .html(html)
        case (nil, nil), (_?, _?): throw StorageFault("either url or html is expected")
        }
        baseURL = try fields.optional("baseURL")
        userScripts = try fields.required("userScripts")
        webView = try fields.required("webView")
        try fields.end()
    }
}

extension Page.WebView: Storable {
    fileprivate var stored: JSON {
        [
            "inlineMedia": .bool(inlineMedia), "pictureInPicture": .bool(pictureInPicture),
            "elementFullscreen": .bool(elementFullscreen), "scrolling": .bool(scrolling),
        ]
    }

    init(stored json: JSON) throws(StorageFault) {
        var fields = try StoredFields(json)
        inlineMedia = try fields.required("inlineMedia")
        pictureInPicture = try fields.required("pictureInPicture")
        elementFullscreen = try fields.required("elementFullscreen")
        scrolling = try fields.required("scrolling")
        try fields.end()
    }
}
