/// Loading and closing (contract: domain, section 4.6).
extension Transition {
    /// Whether a page is there that has to be closed before it goes away.
    var isLive: Bool {
        switch state.player.phase {
        case .loading, .ready: true
        case .idle, .failed, .closed: false
        }
    }

    mutating func load(
        vendor: Vendor, content: JSONObject, options: LoadOptions
    ) throws(Rejection) {
        guard let bridge = Bridges.bridge(of: vendor) else {
            throw Rejection(
                code: 422,
                message: "vendor.unsupported: event.vendor \(vendor.rawValue) is not served")
        }
        let stored = JSON.object(Redaction.content(content, policy: policy))
        let isSameContent = state.vendor == vendor && memory.content == Secret(content)
        let source = isSameContent ? state.player.source : nil
        let page = try bridge.page(content: content, source: source, policy: policy)
        memory.options = options
        guard !isLive || memory.pageDigest != page.digest else { return }
        leavePage()
        if !isSameContent {
            state.player.sources = nil
            state.player.source = nil
        }
        state.vendor = vendor
        state.player.content = stored
        memory.content = Secret(content)
        showInline()
        start(page)
    }

    /// Chooses one of the listed streams; another one is another page.
    mutating func choose(source id: String) throws(Rejection) {
        guard state.player.sources?.contains(where: { $0.id == id }) == true else {
            throw .conflict("source.unknown", "event.id \(id) is not in player.sources")
        }
        guard state.player.source != id else { return }
        state.player.source = id
        guard let page = presentPage(), memory.pageDigest != page.digest else { return }
        leavePage()
        showInline()
        start(page)
    }

    /// The page of what is loaded; nil when nothing was loaded here.
    func presentPage() -> VendorPage? {
        guard let bridge, let content = memory.content else { return nil }
        // The content was accepted once, so its page is there.
        return content.reveal {
            try? bridge.page(content: $0, source: state.player.source, policy: policy)
        }
    }

    /// Drops scripts meant for the page that goes away, and closes its player.
    private mutating func leavePage() {
        memory.outbox.removeAll { order in
            if case .evaluateJavaScript = order { true } else { false }
        }
        if isLive { emitCloseScript() }
    }

    private mutating func showInline() {
        state.betslip.visible = false
        guard state.presentation.mode == .fullscreen else { return }
        state.presentation.mode = .inline
        // The page does not stay, so it needs no script.
        emit(.setFullscreen(false))
        settleNotch()
    }

    /// Lets the stage load a page, the next generation.
    mutating func start(_ page: VendorPage) {
        let generation = (state.player.page ?? 0) + 1
        state.player.phase = .loading
        state.player.page = generation
        state.player.error = nil
        state.player.height = nil
        state.player.login = nil
        state.player.url = page.url.map { Redaction.url($0, policy: policy) }
        state.player.baseURL = page.baseURL.map { Redaction.url($0, policy: policy) }
        memory.pageDigest = page.digest
        memory.remembersClose = false
        emit(.loadPage(page.order(generation: generation)))
    }

    mutating func emitCloseScript() {
        guard let script = bridge?.closeScript else { return }
        emit(.evaluateJavaScript(.close, script))
    }

    mutating func closePlayer(dismisses: Bool) {
        guard state.player.phase != .closed else { return }
        // A page that is not ready cannot take the script yet; its ready message brings it again.
        memory.remembersClose = state.player.phase == .loading
        emitCloseScript()
        state.player.phase = .closed
        dismissesPlayer = dismisses
    }

    /// The page is ready (a vendor's ready message, or its navigation where it has none).
    mutating func becomeReady() {
        if state.player.phase == .closed, memory.remembersClose {
            memory.remembersClose = false
            emitCloseScript()
            return
        }
        guard state.player.phase != .ready else { return }
        state.player.phase = .ready
        state.player.error = nil
        let wasFullscreen = state.presentation.mode == .fullscreen
        rotate()
        if wasFullscreen, state.presentation.mode == .fullscreen { emitFullscreenScript() }
    }

    /// Reloads after the death of the web process, at most so often a minute.
    private static let reloadsPerMinute = 3

    mutating func navigate(_ phase: DeviceFact.Navigation, url: String?, error: String?) {
        guard state.player.phase != .closed else { return }
        switch phase {
        case .finished:
            if let url { state.player.url = Redaction.url(url, policy: policy) }
        case .failed, .provisionalFailed:
            state.player.phase = .failed
            state.player.error = PlayerState.Fault(
                code: "navigationFailed", message: error ?? "")
        case .terminated:
            guard isLive || state.player.phase == .failed else { return }
            let minuteAgo = now.advanced(bySeconds: -60)
            memory.pageDeaths.removeAll { $0 <= minuteAgo }
            guard memory.pageDeaths.count < Self.reloadsPerMinute, let page = presentPage() else {
                state.player.phase = .failed
                state.player.error = PlayerState.Fault(
                    code: "webProcessTerminated", message: error ?? "the web process died")
                return
            }
            memory.pageDeaths.append(now)
            memory.outbox.removeAll { order in
                if case .evaluateJavaScript = order { true } else { false }
            }
            start(page)
        case .committed, .newWindow: break
        }
    }
}
