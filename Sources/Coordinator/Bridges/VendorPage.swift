internal import Security

/// A page as a vendor's bridge makes it, before it has a generation.
package struct VendorPage: Sendable {
    /// The page's address, for a page that has one.
    package var url: String?
    /// The page's text, for a page that is made here.
    package var html: String?
    /// The address that the text counts as coming from.
    package var baseURL: String?
    /// Sources of scripts that run at the document's end.
    package var userScripts: [String] = []
    /// How the web view is set up.
    package var webView = Page.WebView()

    /// A page at an address.
    package init(url: String) {
        self.url = url
    }

    /// A page made here; `baseURL` is the address its text counts as coming from.
    package init(html: String, baseURL: String) {
        self.html = html
        self.baseURL = baseURL
    }

    /// Recognises the same page in the same web view again, secrets included, without keeping them.
    var digest: [UInt8] {
        // The length of each part stands before it, so that no two pages make the same bytes.
        var bytes: [UInt8] = []
        for part in [url ?? "", html ?? "", baseURL ?? ""] + userScripts {
            bytes += Array("\(part.utf8.count):".utf8) + Array(part.utf8)
        }
        for isOn in [
            webView.inlineMedia, webView.pictureInPicture, webView.elementFullscreen,
            webView.scrolling,
        ] {
            bytes.append(isOn ? 1 : 0)
        }
        return SHA256.digest(bytes)
    }

    /// The order to load this page.
    func order(generation: UInt64) -> Page {
        Page(
            generation: generation, source: html.map(Page.Source.html) ?? .url(url ?? ""),
            baseURL: baseURL, userScripts: userScripts, webView: webView)
    }
}
