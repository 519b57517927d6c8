/// The page around a Sportradar widget (contract: domain, section 5.4, "Content").
extension SportradarBridge {
    /// What the vendor's own addresses in the page are relative to.
    private static let baseURL = "https://widgets.sir.sportradar.com/"

    /// Posts the height of the marked element, else of the whole body, whenever it has become another.
    ///
    /// It may run twice in a page, and where nothing tells it of changes it looks when the page says
    /// that something was loaded or that its size is another.
    static let heightObserver = """
        (function () {
          "use strict";
          if (window.coorddObservesHeight) { return; }
          window.coorddObservesHeight = true;
          var posted = 0;
          function root() {
            return document.querySelector("[data-sr-height-root]") || document.body;
          }
          function post() {
            var handlers = window.webkit && window.webkit.messageHandlers;
            var element = root();
            if (!element || !handlers || !handlers.srBridge) { return; }
            var height = Math.ceil(element.getBoundingClientRect().height);
            if (!(height > 0) || height === posted) { return; }
            posted = height;
            handlers.srBridge.postMessage({ type: "height", height: height });
          }
          if (typeof window.ResizeObserver === "function" && root()) {
            new window.ResizeObserver(post).observe(root());
          } else {
            document.addEventListener("load", post, true);
            window.addEventListener("load", post);
            window.addEventListener("resize", post);
          }
          post();
        })();
        """

    func page(_ request: PageRequest) throws(Rejection) -> VendorPage {
        let scrolls = try !(request.bool("disableScroll") ?? false)
        var page = VendorPage(html: try html(request), baseURL: Self.baseURL)
        page.userScripts = [Self.heightObserver]
        page.webView = traits.webView
        page.webView.scrolling = scrolls
        return page
    }

    /// The page's own text where the content has one.
    private func html(_ request: PageRequest) throws(Rejection) -> String {
        if request.content["html"] != nil { return try request.text("html") }
        var configuration = JSONObject()
        configuration.append("clientId", .string(try request.text("clientId")))
        configuration.append("widget", .string(try request.text("widget")))
        let props = request.content["props"] ?? .object(JSONObject())
        guard props.object != nil else {
            throw .invalid("event.content.props", "must be an object, not \(props.kindName)")
        }
        configuration.append("props", props)
        return request.policy.sportradar.template.filled(with: .object(configuration))
    }
}
