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
        guard let bridge = policy.vendors.bridge(of: vendor) else {
            throw .invalid("event.vendor", "\(vendor.rawValue) is not served")
        }
        let content = content.withoutNulls
        let isSameContent = state.vendor == vendor && memory.content == Secret(content)
        let source = isSameContent ? state.player.source : nil
        let page = try bridge.page(
            PageRequest(content: content, options: options, source: source, policy: policy))
        memory.options = options
        guard !isLive || memory.pageDigest != page.digest else { return }
        leavePage()
        if !isSameContent {
            state.player.sources = nil
            state.player.source = nil
        }
        state.vendor = vendor
        state.player.content = .object(Redaction.content(content, policy: policy))
        memory.content = Secret(content)
        memory.followed = nil
        hideAll()
        start(page)
    }

    /// Chooses one of the listed streams; another one is another page of the same content, so the
    /// viewer stays in full screen and keeps the slip.
    mutating func choose(source id: String) throws(Rejection) {
        guard state.player.sources?.contains(where: { $0.id == id }) == true else {
            throw .conflict("source.unknown", "event.id \(id) is not in player.sources")
        }
        guard state.player.source != id else { return }
        state.player.source = id
        guard let page = presentPage(), memory.pageDigest != page.digest else { return }
        leavePage()
        start(page)
    }

    /// The page of what is loaded, or was followed; nil when nothing was loaded here.
    func presentPage() -> VendorPage? {
        guard let bridge else { return nil }
        // The content was accepted once, so its page is there.
        var page = memory.content?.reveal {
            try? bridge.page(
                PageRequest(
                    content: $0, options: memory.options, source: state.player.source,
                    policy: policy))
        }
        memory.followed?.reveal { address in
            guard page == nil else { return page?.url = address }
            // The page before it was loaded by the app itself.
            var followed = VendorPage(url: address)
            followed.webView = bridge.traits.webView
            page = followed
        }
        return page
    }

    /// Loads an address that the page wanted to open, in its place.
    package mutating func follow(_ address: WebAddress) {
        let followed = Secret(address.text)
        guard state.player.phase != .loading || memory.followed != followed else { return }
        memory.followed = followed
        guard let page = presentPage() else { return }
        leavePage()
        start(page)
    }

    /// The page waits for the viewer to log in.
    package mutating func requireLogin() {
        state.player.login = "required"
        emit(.presentLogin(returnURL: state.player.url ?? ""))
    }

    /// The viewer has logged in, with a token that the page wants in its address.
    mutating func completeLogin(_ token: Secret<String>) throws(Rejection) {
        guard state.player.login == "required" else {
            throw .conflict("login.notRequired", "the player asks for no login")
        }
        let content = memory.content.flatMap { content in
            content.reveal { content in
                token.reveal { bridge?.content(content, loggedInWith: $0) }
            }
        }
        guard let content else {
            throw .conflict("login.noContent", "no content was loaded to log in for")
        }
        memory.content = Secret(content)
        guard let page = presentPage() else { return }
        // A login that is still to be offered has happened.
        memory.outbox.removeAll { order in
            if case .presentLogin = order { true } else { false }
        }
        dropScripts()
        start(page)
    }

    /// Drops scripts meant for the page that goes away, and closes its player.
    ///
    /// A close script that still waits is kept: without it the old page's requests leak.
    private mutating func leavePage() {
        memory.outbox.removeAll { order in
            if case .evaluateJavaScript(let script, _, _) = order {
                script != .close
            } else {
                false
            }
        }
        if isLive { emitCloseScript() }
    }

    /// Drops all scripts, for a page that is gone already.
    mutating func dropScripts() {
        memory.outbox.removeAll { order in
            if case .evaluateJavaScript = order { true } else { false }
        }
    }

    /// Shows neither full screen nor slip.
    private mutating func hideAll() {
        state.betslip.visible = false
        leavePictureInPicture()
        // Without a mode nothing had started, and a stop has nothing to wait for.
        if memory.pip.mode != nil { memory.pip.mode = .inline }
        // The page does not stay, so it needs no script.
        show(.inline, pageStays: false)
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
        tell(.close)
    }

    /// Closes the player; `dismisses` when its view is still there and has to go.
    package mutating func closePlayer(dismisses: Bool) {
        guard state.player.phase != .closed else { return }
        // A page that is not ready cannot take the script yet; its ready message brings it again.
        switch state.player.phase {
        case .loading, .failed: memory.remembersClose = true
        case .idle, .ready, .closed: break
        }
        leavePictureInPicture()
        emitCloseScript()
        state.player.phase = .closed
        dismissesPlayer = dismisses
    }

    /// The page is ready (a vendor's ready message, or its navigation where it has none).
    package mutating func becomeReady() {
        guard state.player.phase != .closed else {
            // A page that was closed while ready has had its script.
            if memory.remembersClose { emitCloseScript() }
            memory.remembersClose = false
            return
        }
        guard state.player.phase != .ready else { return }
        state.player.phase = .ready
        state.player.error = nil
        let wasFullscreen = state.presentation.mode == .fullscreen
        rotate()
        if wasFullscreen, isFullscreen { tell(.fullscreen(true)) }
        bridge?.becameReady(in: &self)
    }

    /// What the state says of a fault; code and message are those of a device that says nothing.
    private func fault(
        _ fault: DeviceFact.Fault?, code: String, message: String
    ) -> PlayerState.Fault {
        PlayerState.Fault(
            code: Redaction.url(fault?.code ?? code, policy: policy),
            message: Redaction.url(fault?.message ?? message, policy: policy))
    }

    /// Reloads after the death of the web process, at most so often a minute.
    private static let reloadsPerMinute = 3

    mutating func navigate(
        _ phase: DeviceFact.Navigation, url: String?, error: DeviceFact.Fault?
    ) {
        let isReadyWhenFinished = bridge?.traits.isReadyWhenFinished ?? false
        guard state.player.phase != .closed else {
            if phase == .finished, isReadyWhenFinished { becomeReady() }
            return
        }
        defer { bridge?.navigated(phase, url: url, in: &self) }
        switch phase {
        case .finished:
            if let url { state.player.url = Redaction.url(url, policy: policy) }
            if isReadyWhenFinished { becomeReady() }
        case .failed, .provisionalFailed:
            state.player.phase = .failed
            state.player.error = fault(error, code: "navigationFailed", message: "")
        case .terminated:
            guard isLive || state.player.phase == .failed else { return }
            let minuteAgo = now.advanced(bySeconds: -60)
            memory.pageDeaths.removeAll { $0 <= minuteAgo }
            guard memory.pageDeaths.count < Self.reloadsPerMinute, let page = presentPage() else {
                state.player.phase = .failed
                state.player.error = fault(
                    error, code: "webProcessTerminated", message: "the web process died")
                return
            }
            memory.pageDeaths.append(now)
            dropScripts()
            start(page)
        case .committed, .newWindow: break
        }
    }
}
