import Actors
import Coordinator
import Testing
import coordd

@Suite struct ConfigurationLoaderTests {
    @Test func `without a file everything has the contract's default`() throws {
        let loaded = try load()
        var expected = Configuration()
        expected.data = "/var/lib/coordd"
        expected.secrets.keyFile = "/etc/coordd/coordd.key"
        #expect(loaded.configuration == expected)
        #expect(loaded.origins.isEmpty)
        #expect(loaded.file == nil)
    }

    @Test func `the defaults are the contract's`() {
        let configuration = Configuration()
        #expect(configuration.listen.description == "127.0.0.1:8787")
        #expect(configuration.auth.createSessions)
        #expect(configuration.limits.messageBytes == 65_536)
        #expect(configuration.limits.eventsPerSecond == 200)
        #expect(configuration.limits.outboundBytes == 1_048_576)
        #expect(configuration.limits.connections == 50_000)
        #expect(configuration.limits.connectionsPerAddress == 0)
        #expect(configuration.limits.sessions == 1_000_000)
        #expect(configuration.limits.subscriptions == 128)
        #expect(configuration.limits.connectSeconds == 10)
        #expect(configuration.ping.intervalSeconds == 25)
        #expect(configuration.ping.pongMilliseconds == 10_000)
        #expect(configuration.history.size == 256)
        #expect(configuration.history.seconds == 600)
        #expect(configuration.snapshot.revisions == 200)
        #expect(configuration.snapshot.seconds == 60)
        #expect(configuration.durability == .commit)
        #expect(configuration.sessions.idleSeconds == 60)
        #expect(configuration.sessions.retainSeconds == 86_400)
        #expect(configuration.stage.graceSeconds == 30)
        #expect(configuration.effects.deadlineSeconds == 5)
        #expect(configuration.betslip.confirm == .host)
        #expect(configuration.betslip.deadlineSeconds == 30)
        #expect(configuration.vendors.sauceflex.pipUseDelayMilliseconds == 500)
        #expect(configuration.vendors.sauceflex.shareField == "linkUrl")
        #expect(configuration.vendors.sportradar.page.file == nil)
        #expect(configuration.vendors.bambuser.openURLPatterns == ["/privacy"])
        #expect(
            configuration.secrets.queryParameters == [
                "accessToken", "token", "apikey", "password",
            ])
        #expect(configuration.bounds.outbox == 64)
        #expect(configuration.bounds.selections == 50)
        #expect(configuration.bounds.idempotencyIds == 256)
        #expect(configuration.bounds.idempotencyDevices == 64)
        #expect(configuration.bounds.placements == 1000)
        #expect(configuration.bounds.placementSeconds == 86_400)
        #expect(configuration.bounds.toastMilliseconds == 3000)
        #expect(configuration.bounds.stateBytes == 65_536)
        #expect(configuration.bounds.contentBytes == 16_384)
        #expect(configuration.bounds.textBytes == 256)
        #expect(configuration.drain.seconds == 10)
        #expect(configuration.log.level == .info)
    }

    @Test func `a file sets what it names and nothing else`() throws {
        let loaded = try load(
            """
            {
              // The port of the example.
              "listen": "[::1]:9000", /* loopback */
              "auth": {"createSessions": false},
              "ping": {"intervalSeconds": "off", "pongSeconds": 0.25},
              "betslip": {"confirm": "auto"},
              "handlers": {"myBridge": "genius"},
              "secrets": {"queryParameters": ["//", "/*"]},
              "log": {"level": "debug"}
            }
            """)
        var expected = Configuration()
        expected.listen = try #require(ListenAddress("[::1]:9000"))
        expected.data = "/var/lib/coordd"
        expected.auth.createSessions = false
        expected.ping.intervalSeconds = nil
        expected.ping.pongMilliseconds = 250
        expected.betslip.confirm = .auto
        expected.handlers = ["myBridge": "genius"]
        expected.secrets.queryParameters = ["//", "/*"]
        expected.secrets.keyFile = "/etc/coordd.key"
        expected.log.level = .debug
        #expect(loaded.configuration == expected)
        #expect(loaded.origins["listen"] == .file("/etc/coordd.json"))
        #expect(loaded.origins["data"] == nil)
    }

    @Test func `the environment wins over the file and a flag over both`() throws {
        let text = #"{"listen": "127.0.0.1:1", "limits": {"messageBytes": 2000, "sessions": 5}}"#
        let environment = [
            "COORDD_LISTEN": "127.0.0.1:2", "COORDD_LIMITS_MESSAGE_BYTES": "3000", "PATH": "/bin",
        ]
        let loaded = try load(
            text, environment: environment, flags: [("listen", "127.0.0.1:3", "--listen")])
        #expect(loaded.configuration.listen.port == 3)
        #expect(loaded.configuration.limits.messageBytes == 3000)
        #expect(loaded.configuration.limits.sessions == 5)
        #expect(loaded.origins["listen"] == .flag("--listen"))
        #expect(
            loaded.origins["limits.messageBytes"] == .environment("COORDD_LIMITS_MESSAGE_BYTES"))
        #expect(loaded.origins["limits.sessions"] == .file("/etc/coordd.json"))
    }

    @Test func `the environment takes words, lists and objects`() throws {
        let loaded = try load(environment: [
            "COORDD_PING_INTERVAL_SECONDS": "off", "COORDD_AUTH_CREATE_SESSIONS": "false",
            "COORDD_SECRETS_QUERY_PARAMETERS": #"["key"]"#,
            "COORDD_HANDLERS": #"{"b": "genius"}"#, "COORDD_LOG_LEVEL": "error",
            "COORDD_DATA": "state", "COORDD_BETSLIP_CONFIRM": "auto",
        ])
        #expect(loaded.configuration.ping.intervalSeconds == nil)
        #expect(!loaded.configuration.auth.createSessions)
        #expect(loaded.configuration.secrets.queryParameters == ["key"])
        #expect(loaded.configuration.handlers == ["b": "genius"])
        #expect(loaded.configuration.log.level == .error)
        #expect(loaded.configuration.data == "state")
        #expect(loaded.configuration.betslip.confirm == .auto)
    }

    @Test func `variables that Kubernetes injects for a service are not keys`() throws {
        _ = try load(environment: [
            "COORDD_SERVICE_HOST": "10.0.0.1", "COORDD_PORT": "tcp://10.0.0.1:8787",
            "COORDD_PORT_8787_TCP_ADDR": "10.0.0.1",
        ])
    }

    @Test(arguments: [
        (["HOME": "/home/a"], "/home/a/.local/state/coordd"),
        (["HOME": "/home/a", "XDG_STATE_HOME": "/state"], "/state/coordd"),
        (["HOME": "/home/a", "XDG_STATE_HOME": "state"], "/home/a/.local/state/coordd"),
        ([:], "/var/lib/coordd"),
    ])
    func `the data folder of a user follows the XDG rules`(
        environment: [String: String], expected: String
    ) throws {
        #expect(try load(environment: environment, isRoot: false).configuration.data == expected)
        #expect(try load(environment: environment).configuration.data == "/var/lib/coordd")
    }

    @Test func `paths in the file start at its folder, others where the daemon was started`() throws
    {
        let files = ["/etc/genius.html": "<{{config}}>", "genius.html": "[{{config}}]"]
        let text = #"{"data": "state", "vendors": {"genius": {"template": "genius.html"}}}"#
        let fromFile = try load(text, files: files).configuration
        #expect(fromFile.data == "/etc/state")
        #expect(fromFile.vendors.genius.page.file == "/etc/genius.html")
        #expect(fromFile.vendors.genius.page.text == "<{{config}}>")

        let variable = ["COORDD_VENDORS_GENIUS_TEMPLATE": "genius.html"]
        let fromEnvironment = try load("{}", files: files, environment: variable).configuration
        #expect(fromEnvironment.vendors.genius.page.file == "genius.html")
        #expect(fromEnvironment.vendors.genius.page.text == "[{{config}}]")
    }

    @Test func `what the rules and the vendors are told reaches them`() throws {
        let policy = try load(
            """
            {
              "effects": {"deadlineSeconds": 7},
              "vendors": {
                "sauceflex": {"pipUseDelayMilliseconds": 0, "shareField": "shortUrl"},
                "sportradar": {"template": "sr.html"},
                "bambuser": {"openURLPatterns": ["/terms", "/privacy"]}
              },
              "handlers": {
                "a": "genius", "b": "sauceflex", "c": "lisa", "d": "sportradar", "e": "bambuser"
              }
            }
            """, files: ["/etc/sr.html": "<i>{{config}}</i>"]
        ).configuration.policy
        #expect(policy.effectDeadlineSeconds == 7)
        #expect(policy.sauceflex.pipUseDelayMilliseconds == 0)
        #expect(policy.sauceflex.shareField == "shortUrl")
        #expect(policy.sportradar.template.filled(with: 1) == "<i>1</i>")
        #expect(policy.bambuser.openURLPatterns == ["/terms", "/privacy"])
        let aliases = policy.handlers.mapValues(\.rawValue)
        #expect(
            aliases == [
                "a": "genius", "b": "sauceflex", "c": "lisa", "d": "sportradar", "e": "bambuser",
            ])
    }

    @Test func `only loopback needs no insecure flag`() throws {
        #expect(try load(#"{"listen": "[::1]:0"}"#).exposure == nil)
        let exposure = try load(#"{"listen": "0.0.0.0:80"}"#).exposure
        #expect(
            exposure?.description
                == "/etc/coordd.json: listen: found 0.0.0.0:80, which other machines can reach, "
                + "and no authentication; allowed: a loopback address, or any with auth.secret or "
                + "auth.publicKey, or with --insecure")
    }
}
