import Actors
import Coordinator
import Testing
import coordd

@Suite struct InvocationTests {
    private func parse(_ line: String) throws(UsageError) -> Invocation {
        try Invocation.parse(line.split(separator: " ").map(String.init))
    }

    private func message(_ line: String) -> String? {
        do throws(UsageError) {
            _ = try parse(line)
            return nil
        } catch {
            return (error.command.map { "\($0): " } ?? "") + error.message
        }
    }

    @Test func `no arguments ask for help nobody asked for`() throws {
        #expect(try parse("") == .help(command: nil, asked: false))
    }

    @Test(arguments: ["help", "--help", "-h"])
    func `help can be asked for`(line: String) throws {
        #expect(try parse(line) == .help(command: nil, asked: true))
        #expect(try parse("\(line) watch") == .help(command: "watch", asked: true))
        #expect(try parse("serve --lost --help") == .help(command: "serve", asked: true))
    }

    @Test func `the version can be asked for`() throws {
        #expect(try parse("--version") == .version)
        #expect(message("--version now") == "--version takes no arguments")
    }

    @Test func `serve takes its flags`() throws {
        #expect(try parse("serve") == .serve(ServeOptions()))
        var options = ServeOptions()
        options.config = "c.json"
        options.listen = ListenAddress("[::1]:0")
        options.data = "/d"
        options.readyFile = "r"
        options.insecure = true
        options.logLevel = .debug
        let line =
            "serve --config c.json --listen=[::1]:0 --data /d --ready-file r --insecure "
            + "--log-level debug"
        #expect(try parse(line) == .serve(options))
    }

    @Test func `check-config takes a file`() throws {
        #expect(try parse("check-config f") == .checkConfig(CheckConfigOptions(file: "f")))
        #expect(
            try parse("check-config --json -- --f")
                == .checkConfig(CheckConfigOptions(file: "--f", json: true)))
        #expect(message("check-config") == "check-config: FILE is missing")
        #expect(message("check-config a b") == #"check-config: unexpected argument "b""#)
    }

    @Test func `simulate takes its flags`() throws {
        var options = SimulateOptions()
        #expect(try parse("simulate") == .simulate(options))
        options.connect = ListenAddress("127.0.0.1:1")
        options.sessions = 50
        options.mirrors = 0
        options.vendor = .genius
        options.seconds = 3
        options.seed = .max
        options.chaos = true
        options.json = true
        let line =
            "simulate --connect 127.0.0.1:1 --sessions 50 --mirrors 0 --vendor genius --seconds 3 "
            + "--seed 18446744073709551615 --chaos --json"
        #expect(try parse(line) == .simulate(options))
    }

    @Test func `kills are for chaos on a daemon of its own`() throws {
        var options = SimulateOptions()
        options.chaos = true
        options.kills = 7
        #expect(try parse("simulate --chaos --kills 7") == .simulate(options))
        #expect(throws: UsageError.self) { try parse("simulate --kills 7") }
        #expect(throws: UsageError.self) {
            try parse("simulate --chaos --connect 127.0.0.1:1 --kills 7")
        }
    }

    @Test func `watch takes a session`() throws {
        var options = WatchOptions(session: try #require(SessionID("s-1")))
        #expect(try parse("watch s-1") == .watch(options))
        options.connect = try #require(ListenAddress("localhost:9"))
        options.state = true
        #expect(try parse("watch --state s-1 --connect localhost:9") == .watch(options))
        #expect(message("watch") == "watch: SESSION is missing")
        #expect(
            message("watch a/b")
                == #"watch: SESSION: found "a/b"; allowed: 1 to 128 letters, digits and . _ ~ -"#)
    }

    @Test func `send takes an event or standard input`() throws {
        let session = try #require(SessionID("s"))
        #expect(
            try parse("send s -") == .send(SendOptions(session: session, source: .standardInput)))
        let event = JSONDocument(root: ["type": "pip.start"])
        var options = SendOptions(session: session, source: .event(event))
        options.role = .player
        #expect(try parse(#"send s {"type":"pip.start"} --role player"#) == .send(options))
        #expect(
            message("send s {")
                == #"send: EVENT: found "{", which is not JSON: a name is expected "#
                + "at byte 1")
        #expect(message("send s") == "send: EVENT is missing")
        #expect(
            message("send s - --role api")
                == #"send: --role: found "api"; allowed: mirror, player"#)
    }

    @Test func `replay takes files and flags`() throws {
        var options = ReplayOptions(files: ["a", "-"])
        options.strict = true
        options.config = "c.json"
        options.json = true
        #expect(try parse("replay a - --strict --config c.json --json") == .replay(options))
        options = ReplayOptions(files: ["a"])
        options.connect = ListenAddress("127.0.0.1:1")
        options.speed = 2.5
        options.session = SessionID("s")
        #expect(
            try parse("replay a --connect 127.0.0.1:1 --speed 2.5 --session s")
                == .replay(options))
    }

    @Test func `sessions has actions`() throws {
        #expect(
            try parse("sessions list") == .sessions(SessionsOptions(.list(limit: nil, after: nil))))
        var options = SessionsOptions(.list(limit: 5, after: "a"))
        options.data = "/d"
        options.config = "c.json"
        options.json = true
        #expect(
            try parse("sessions list --limit 5 --after a --data /d --config c.json --json")
                == .sessions(options))
        let session = try #require(SessionID("s-1"))
        #expect(try parse("sessions show s-1") == .sessions(SessionsOptions(.show(session))))
        #expect(
            try parse("sessions export --all --output f")
                == .sessions(SessionsOptions(.export(.all, output: "f"))))
        #expect(
            try parse("sessions export --prefix s-")
                == .sessions(SessionsOptions(.export(.prefix("s-"), output: nil))))
        #expect(
            try parse("sessions export s-1")
                == .sessions(SessionsOptions(.export(.some([session]), output: nil))))
        #expect(
            try parse("sessions import - --replace")
                == .sessions(SessionsOptions(.adopt(file: "-", replacing: true))))
        #expect(
            try parse("sessions delete s-1 --damaged")
                == .sessions(SessionsOptions(.delete([session], damaged: true))))
    }

    @Test func `backup and verify take a folder`() throws {
        var backup = BackupOptions(target: "b")
        #expect(try parse("backup b") == .backup(backup))
        (backup.config, backup.data, backup.json) = ("c", "d", true)
        #expect(try parse("backup b --config c --data d --json") == .backup(backup))
        var verify = VerifyOptions(folder: "b")
        #expect(try parse("verify b") == .verify(verify))
        (verify.config, verify.json) = ("c", true)
        #expect(try parse("verify b --config c --json") == .verify(verify))
    }

    @Test(arguments: [
        ("replay", "replay: FILE is missing"),
        ("replay - -", "replay: FILE: - is given twice"),
        ("replay a --speed 2", "replay: --speed goes with --connect only"),
        ("replay a --session s", "replay: --session goes with --connect only"),
        ("replay a --log-level debug", #"replay: unknown flag "--log-level"; allowed: --connect"#),
        (
            "replay a --connect 127.0.0.1:1 --config c",
            "replay: --config does not go with --connect: the daemon has its own"
        ),
        (
            "replay a b --connect 127.0.0.1:1 --session s",
            "replay: --session goes with one FILE only"
        ),
        (
            "replay a --connect 127.0.0.1:1 --speed 0",
            #"replay: --speed: found "0"; allowed: a number "#
        ),
        ("sessions", "sessions: ACTION is missing; allowed: list, show"),
        ("sessions fly", #"sessions: unknown action "fly"; allowed: list, show"#),
        ("sessions export", "sessions export: nothing to export; allowed: SESSION…, --all or --"),
        ("sessions export a --all", "sessions export: SESSION…, --all and --prefix do not go toge"),
        ("sessions export --all --prefix a", "sessions export: SESSION…, --all and --prefix do "),
        ("sessions export a b a", "sessions export: SESSION: a is given twice"),
        ("sessions export a/b", #"sessions export: SESSION: found "a/b"; allowed: 1 to 128 "#),
        ("sessions export --prefix a/b", #"sessions export: --prefix: found "a/b"; allowed: 1"#),
        ("sessions export --all --output=", "sessions export: --output needs a value that is not "),
        (
            "sessions export --all --json",
            #"sessions export: unknown flag "--json"; allowed: --all"#
        ),
        ("sessions import", "sessions import: FILE is missing"),
        ("sessions import a b", #"sessions import: unexpected argument "b""#),
        ("sessions import a --replace=1", "sessions import: --replace takes no value"),
        ("sessions delete", "sessions delete: SESSION is missing"),
        ("sessions delete a a", "sessions delete: SESSION: a is given twice"),
        ("sessions delete a --all", #"sessions delete: unknown flag "--all"; allowed: --damaged"#),
        (
            "sessions export --all --connect 127.0.0.1:1",
            "sessions export: --connect: a running daemon gives no export, which would hold sealed "
                + "secrets: copy its folder with coordd backup, and export from the copy"
        ),
        (
            "sessions import - --connect 127.0.0.1:1",
            "sessions import: --connect: a running daemon takes in no export: stop it first"
        ),
        (
            "sessions delete a --damaged --connect 127.0.0.1:1",
            "sessions delete: --damaged is for the folder of a stopped daemon, and does not go with "
                + "--connect"
        ),
        ("backup", "backup: TARGET is missing"),
        ("backup a b", #"backup: unexpected argument "b""#),
        ("backup a --connect 127.0.0.1:1", #"backup: unknown flag "--connect"; allowed: --data"#),
        ("verify", "verify: DATA is missing"),
        ("verify a --data b", #"verify: unknown flag "--data"; allowed: --config, --json"#),
        (
            "sessions list --connect 127.0.0.1:1 --data d",
            "sessions list: --connect does not go with --config or --data"
        ),
        (
            "sessions show s --connect=somewhere:1",
            #"sessions show: --connect: found "somewhere:1"; allowed: HOST:PORT with"#
        ),
        (
            "sessions list --api-key 0123456789abcdef",
            "sessions list: --api-key goes with --connect only"
        ),
        (
            "sessions list --connect 127.0.0.1:1 --api-key hunter2",
            "sessions list: --api-key: allowed: 16 to 4096 visible ASCII characters"
        ),
        ("sessions show", "sessions show: SESSION is missing"),
        ("sessions list x", #"sessions list: unexpected argument "x""#),
        ("sessions list --limit 0", #"sessions list: --limit: found "0"; allowed: a whole number"#),
        ("help sessions fly", #"sessions: unknown action "fly"; allowed: list, show"#),
        ("help sessions list show", "help takes one command and action"),
    ])
    func `a wrong replay or sessions names the culprit`(line: String, start: String) throws {
        let found = try #require(message(line))
        #expect(found.hasPrefix(start))
    }

    @Test(arguments: [
        ("fly", #"unknown command "fly"; allowed: "#),
        ("--fly", #"unknown flag "--fly"; allowed: "#),
        ("bench x", #"bench: unexpected argument "x""#),
        ("bench --rate 0", #"bench: --rate: found "0"; allowed: a number from 0.1 to 1000000"#),
        ("bench --rate 5 --window 1", "bench: --rate does not go with --window"),
        ("bench --codec protobuf", "bench: --codec protobuf needs --carrier websocket"),
        ("bench --carrier tcp", #"bench: --carrier: found "tcp"; allowed: line, websocket"#),
        ("bench --screens 0", #"bench: --screens: found "0"; allowed: a whole number from 1 to "#),
        ("help fly", #"unknown command "fly"; allowed: "#),
        ("help watch send", "help takes one command"),
        ("serve --lisen x", #"serve: unknown flag "--lisen"; allowed: --config, --listen, "#),
        ("serve -c x", #"serve: unknown flag "-c"; allowed: "#),
        ("serve x", #"serve: unexpected argument "x""#),
        ("serve --config", "serve: --config needs a value, FILE"),
        ("serve --config --insecure", "serve: --config needs a value, FILE"),
        ("serve --config=", "serve: --config needs a value that is not empty"),
        ("serve --insecure=yes", "serve: --insecure takes no value"),
        ("serve --insecure --insecure", "serve: --insecure is given twice"),
        ("serve --data a --data b", "serve: --data is given twice"),
        ("serve --listen 8787", #"serve: --listen: found "8787"; allowed: HOST:PORT with "#),
        (
            "serve --log-level loud",
            #"serve: --log-level: found "loud"; allowed: debug, info, warning, error"#
        ),
        (
            "simulate --sessions many",
            #"simulate: --sessions: found "many"; allowed: a whole number from 1 to 100000"#
        ),
        (
            "simulate --sessions 0",
            #"simulate: --sessions: found "0"; allowed: a whole number from 1 to 100000"#
        ),
        (
            "simulate --seconds +1",
            #"simulate: --seconds: found "+1"; allowed: a whole number from 1 to 86400"#
        ),
        (
            "simulate --seed 18446744073709551616",
            #"simulate: --seed: found "18446744073709551616"; allowed: a whole number from 0 to "#
        ),
        (
            "simulate --vendor acme",
            #"simulate: --vendor: found "acme"; allowed: genius, sauceflex, lisa, "#
        ),
        ("simulate --log-level debug", #"simulate: unknown flag "--log-level"; allowed: "#),
        ("watch s --log-level debug", #"watch: unknown flag "--log-level"; allowed: "#),
        ("send s - --log-level debug", #"send: unknown flag "--log-level"; allowed: "#),
        ("watch s --explain --state", "watch: --explain tells of changes, so it does not go "),
    ])
    func `a wrong command line names the culprit`(line: String, start: String) throws {
        let found = try #require(message(line))
        #expect(found.hasPrefix(start))
    }
}
