/// Every command (contract: protocol, Command line).
enum CommandTable {
    /// The commands, in the order of the help.
    static let commands = [
        serve, checkConfig, token, simulate, bench, watch, send, replay, sessionsList, sessionsShow,
        sessionsExport, sessionsImport, sessionsDelete, backup, verify,
    ]

    /// The commands that have actions.
    static let groups = [
        CommandGroup(
            name: "sessions",
            summary: "read and change the sessions of a stopped daemon, or of a running one")
    ]

    /// The command with a name.
    static func command(_ name: String) -> CommandUsage? {
        commands.first { $0.name == name }
    }

    /// The command with actions that has a name.
    static func group(_ name: String) -> CommandGroup? {
        groups.first { $0.name == name }
    }

    private static let connect = CommandUsage.Flag(
        name: "--connect", value: "HOST:PORT", meaning: "the daemon (default 127.0.0.1:8787)")
    private static let shownToken = CommandUsage.Flag(
        name: "--token", value: "TOKEN",
        meaning: "for a daemon that wants one; better in the environment as COORDD_TOKEN")
    private static let tls: [CommandUsage.Flag] = [
        .init(name: "--tls", value: nil, meaning: "connect under TLS"),
        .init(
            name: "--ca", value: "FILE",
            meaning: "with --tls, the certificates to trust, PEM (default: the system's)"),
        .init(
            name: "--server-name", value: "NAME",
            meaning: "with --tls, the name in the daemon's certificate (default: that of --connect)"
        ),
    ]
    private static let logLevel = CommandUsage.Flag(
        name: "--log-level", value: "LEVEL", meaning: "debug, info, warning or error")
    private static let session = CommandUsage.Positional(
        name: "SESSION", meaning: "the id of a session")

    private static let serve = CommandUsage(
        name: "serve", summary: "run the daemon", positionals: [],
        flags: [
            .init(name: "--config", value: "FILE", meaning: "the configuration file"),
            .init(
                name: "--listen", value: "HOST:PORT",
                meaning: "in place of listen; port 0 picks one"),
            .init(name: "--data", value: "DIR", meaning: "in place of data"),
            .init(
                name: "--ready-file", value: "FILE",
                meaning: "gets HOST:PORT when clients are accepted; with TLS, FILE.tls does, too"),
            .init(
                name: "--insecure", value: nil,
                meaning:
                    "without auth.secret or auth.publicKey: listen where other machines reach it"),
            logLevel,
        ])

    private static let checkConfig = CommandUsage(
        name: "check-config", summary: "check a configuration file and print what is in effect",
        positionals: [.init(name: "FILE", meaning: "the configuration file")],
        flags: [.init(name: "--json", value: nil, meaning: "print JSON")])

    private static let token = CommandUsage(
        name: "token", summary: "print a token that is signed with the configured secret (HS256)",
        positionals: [],
        flags: [
            .init(
                name: "--config", value: "FILE",
                meaning: "the daemon's configuration file, which holds auth.secret"),
            .init(
                name: "--session", value: "ID",
                meaning: "where it counts: ids, or beginnings of ids and *, with commas between"),
            .init(
                name: "--channel", value: "CHANNEL",
                meaning: "in place of --session: a subscription token for session:ID or stage:ID"),
            .init(
                name: "--role", value: "ROLE",
                meaning: "the highest role: player, mirror or observer (default observer)"),
            .init(
                name: "--ttl", value: "TIME",
                meaning: "how long it counts, as 90s, 15m, 12h or 30d (default 1h)"),
            .init(name: "--user", value: "NAME", meaning: "whose it is (default: nobody's)"),
            .init(
                name: "--device", value: "ID",
                meaning: "the device's id (default: the user and the id that the client gives)"),
            .init(name: "--create", value: nil, meaning: "its bearer may make sessions"),
            .init(name: "--place", value: nil, meaning: "its bearer may place bets as a mirror"),
            .init(name: "--json", value: nil, meaning: "print JSON, with the claims"),
        ])

    private static let simulate = CommandUsage(
        name: "simulate", summary: "play simulated phones and second screens, and compare them",
        positionals: [],
        flags: [
            .init(
                name: "--connect", value: "HOST:PORT",
                meaning: "the daemon (default: one of its own on a temporary data folder)"),
            shownToken,
        ] + tls + [
            .init(name: "--sessions", value: "N", meaning: "sessions (default 5)"),
            .init(name: "--mirrors", value: "M", meaning: "second screens a session (default 2)"),
            .init(
                name: "--vendor", value: "V",
                meaning: "genius, sauceflex, lisa, sportradar, bambuser, or all in turn "
                    + "(default all)"),
            .init(name: "--seconds", value: "S", meaning: "how long to play (default 10)"),
            .init(name: "--seed", value: "K", meaning: "repeat a run; each run prints its seed"),
            .init(
                name: "--chaos", value: nil,
                meaning: "drop connections, delay readers, kill and restart the own daemon, and "
                    + "check that nothing is lost"),
            .init(
                name: "--kills", value: "N",
                meaning: "with --chaos: kill the own daemon N times (default: every 2 s)"),
            .init(name: "--json", value: nil, meaning: "print JSON"),
        ])

    private static let bench = CommandUsage(
        name: "bench",
        summary: "send events at a rate, and measure how soon second screens have them",
        positionals: [],
        flags: [
            .init(
                name: "--connect", value: "HOST:PORT",
                meaning: "the daemon (default: one of its own on a temporary data folder)"),
            shownToken,
        ] + tls + [
            .init(
                name: "--sessions", value: "N", meaning: "sessions, each of a phone (default 100)"),
            .init(name: "--screens", value: "M", meaning: "second screens a session (default 2)"),
            .init(
                name: "--rate", value: "R",
                meaning:
                    "events a second of all sessions, each at its time whatever the daemon does "
                    + "(default 1000)"),
            .init(
                name: "--window", value: "W",
                meaning: "in place of --rate: W events of each session on their way at any time"),
            .init(name: "--seconds", value: "S", meaning: "how long to measure (default 5)"),
            .init(name: "--carrier", value: "C", meaning: "line or websocket (default line)"),
            .init(
                name: "--codec", value: "C",
                meaning: "json, or protobuf over websocket (default json)"),
            .init(name: "--json", value: nil, meaning: "print JSON"),
        ])

    private static let watch = CommandUsage(
        name: "watch", summary: "follow a session, one line per revision",
        positionals: [session],
        flags: [connect, shownToken] + tls + [
            .init(
                name: "--explain", value: nil,
                meaning: "name the rules behind each change, in a second line"),
            .init(name: "--state", value: nil, meaning: "print the folded state instead"),
            .init(name: "--json", value: nil, meaning: "print JSON"),
        ])

    private static let replay = CommandUsage(
        name: "replay", summary: "play transcripts in the pure rules or against a daemon",
        positionals: [
            .init(
                name: "FILE", meaning: "a transcript, JSON lines, or - for standard input",
                repeats: true)
        ],
        flags: [
            .init(
                name: "--connect", value: "HOST:PORT",
                meaning: "play against this daemon, at the transcript's own speed"),
            shownToken,
        ] + tls + [
            .init(name: "--speed", value: "N", meaning: "with --connect, N times as fast"),
            .init(
                name: "--session", value: "ID",
                meaning: "with --connect, the session (default: a new one for each file)"),
            .init(
                name: "--config", value: "FILE",
                meaning: "without --connect, the rules' numbers from a configuration file"),
            .init(
                name: "--strict", value: nil,
                meaning: "what a step's expect does not name must not happen"),
            .init(name: "--json", value: nil, meaning: "print JSON"),
        ])

    private static let send = CommandUsage(
        name: "send", summary: "apply an event to a session and print the answer",
        positionals: [
            session,
            .init(
                name: "EVENT", meaning: "an event as JSON, or - for one a line on standard input"),
        ],
        flags: [connect, shownToken] + tls + [
            .init(
                name: "--role", value: "ROLE",
                meaning: "mirror, or player, which takes the stage (default mirror)"),
            .init(name: "--json", value: nil, meaning: "print JSON"),
        ])

    private static let folder: [CommandUsage.Flag] = [
        .init(name: "--data", value: "DIR", meaning: "the data folder, in place of data"),
        .init(
            name: "--config", value: "FILE",
            meaning: "the daemon's configuration file, which names folder and key"),
    ]

    private static let daemon: [CommandUsage.Flag] =
        [
            .init(
                name: "--connect", value: "HOST:PORT",
                meaning: "a running daemon, over its HTTP API, in place of a folder"),
            .init(
                name: "--api-key", value: "KEY",
                meaning: "the key of that API (default: COORDD_API_KEY, which others cannot see)"),
        ] + tls

    private static let sessionsList = CommandUsage(
        name: "sessions list",
        summary: "list the sessions in a stopped daemon's data folder, or of a running one",
        positionals: [],
        flags: folder + [
            .init(name: "--limit", value: "N", meaning: "at most so many (default: all)"),
            .init(name: "--after", value: "ID", meaning: "only those after this id"),
            .init(name: "--json", value: nil, meaning: "print JSON"),
        ] + daemon)

    private static let sessionsShow = CommandUsage(
        name: "sessions show",
        summary: "show a session in a stopped daemon's data folder, or of a running one",
        positionals: [session],
        flags: folder + [.init(name: "--json", value: nil, meaning: "print JSON")] + daemon)

    private static let sessionsExport = CommandUsage(
        name: "sessions export",
        summary: "write sessions of a stopped daemon's data folder as JSON lines",
        positionals: [
            .init(name: "SESSION", meaning: "the id of a session", repeats: true, isOptional: true)
        ],
        flags: [
            .init(name: "--all", value: nil, meaning: "all sessions"),
            .init(name: "--prefix", value: "P", meaning: "those whose ids begin so"),
            .init(
                name: "--output", value: "FILE",
                meaning: "in place of standard output; appears when it is whole, with mode 0600"),
        ] + folder,
        refused: [
            "--connect": "a running daemon gives no export, which would hold sealed secrets: copy "
                + "its folder with coordd backup, and export from the copy"
        ])

    private static let sessionsImport = CommandUsage(
        name: "sessions import",
        summary: "take sessions into a stopped daemon's data folder, all of a file or none",
        positionals: [
            .init(name: "FILE", meaning: "what sessions export wrote, or - for standard input")
        ],
        flags: [
            .init(
                name: "--replace", value: nil,
                meaning: "sessions that are there give way to those of the file")
        ] + folder + [.init(name: "--json", value: nil, meaning: "print JSON")],
        refused: [
            "--connect": "a running daemon takes in no export: stop it first"
        ])

    private static let sessionsDelete = CommandUsage(
        name: "sessions delete",
        summary: "delete sessions in a stopped daemon's data folder, or of a running one",
        positionals: [.init(name: "SESSION", meaning: "the id of a session", repeats: true)],
        flags: [
            .init(
                name: "--damaged", value: nil,
                meaning: "damaged ones too; their rows are kept in the table quarantine")
        ] + folder + [.init(name: "--json", value: nil, meaning: "print JSON")] + daemon)

    private static let backup = CommandUsage(
        name: "backup", summary: "copy a data folder, also while its daemon runs",
        positionals: [
            .init(name: "TARGET", meaning: "the backup, a folder that is not there or empty")
        ],
        flags: folder + [.init(name: "--json", value: nil, meaning: "print JSON")])

    private static let verify = CommandUsage(
        name: "verify", summary: "look through a stopped daemon's data folder or a backup",
        positionals: [.init(name: "DATA", meaning: "the folder; nothing in it changes")],
        flags: [
            .init(
                name: "--config", value: "FILE",
                meaning: "the daemon's configuration file, which names the key"),
            .init(name: "--json", value: nil, meaning: "print JSON"),
        ])
}
