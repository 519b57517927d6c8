import Actors

/// `coordd watch`: follows a session.
struct WatchCommand {
    private let options: WatchOptions
    private let token: String?
    private let console: Console

    /// A run with options, and a token for a daemon that wants one.
    init(_ options: WatchOptions, token: String?, _ console: Console) {
        self.options = options
        self.token = token
        self.console = console
    }

    /// Follows until the session is closed, the server refuses, or Ctrl-C.
    func run() async -> ExitCode {
        let (options, token) = (self.options, self.token)
        let (print, complain) = (console.print, console.complain)
        let code = await ToolLoop.run { loop, finish in
            let watcher = Watcher(
                session: options.session,
                style: .init(
                    showsState: options.state, isJSON: options.json, explains: options.explain),
                world: ToolWorld(
                    options.connect, tls: options.tls, as: ToolDevice.name("watch"),
                    token: token, on: loop,
                    print: { line in
                        print(line + "\n")
                        if OutputPipe.isBroken { finish(ExitCode.failed.rawValue) }
                    },
                    note: { complain("coordd watch: \($0)\n") }, finish: finish))
            watcher.start()
            return .init(owner: watcher) { finish(ExitCode.interrupted.rawValue) }
        }
        return ExitCode(rawValue: code) ?? .failed
    }
}
