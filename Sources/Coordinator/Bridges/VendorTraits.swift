/// What sets a vendor apart without any code (contract: domain, section 5, first table).
package struct VendorTraits: Sendable {
    /// Whose player it is.
    package var vendor: Vendor
    /// The names of its page's message handlers.
    package var handlers: Set<String>
    /// How its web view is set up.
    package var webView = Page.WebView()
    /// Whether the sensor may change full screen where the load says nothing about it.
    package var autoRotates = false
    /// Whether closing the small window closes the player where the load says nothing about it.
    package var closesOnPipClose = false
    /// Whether the page counts as ready when its navigation has finished.
    package var isReadyWhenFinished = false

    /// A vendor with the usual web view, whose pages say by themselves when they are ready.
    package init(vendor: Vendor, handlers: Set<String>) {
        self.vendor = vendor
        self.handlers = handlers
    }
}
