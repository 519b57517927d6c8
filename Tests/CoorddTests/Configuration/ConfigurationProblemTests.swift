import Testing
import coordd

@Suite struct ConfigurationProblemTests {
    @Test(arguments: [
        (
            #"{"limits": {"messageBytes": 70}}"#,
            "limits.messageBytes: found 70; allowed: a whole number from 1024 to 16777216 (bytes)"
        ),
        (
            #"{"limits": {"messageBytes": 16777217}}"#,
            "limits.messageBytes: found 16777217; allowed: a whole number from 1024 to 16777216 "
                + "(bytes)"
        ),
        (
            #"{"history": {"size": "many"}}"#,
            #"history.size: found "many"; allowed: a whole number from 1 to 65536 (revisions)"#
        ),
        (
            #"{"history": {"size": 1.5}}"#,
            "history.size: found 1.5; allowed: a whole number from 1 to 65536 (revisions)"
        ),
        (
            #"{"history": {"size": 99999999999999999999}}"#,
            "history.size: found 99999999999999999999; allowed: a whole number from 1 to 65536 "
                + "(revisions)"
        ),
        (
            #"{"history": {"size": null}}"#,
            "history.size: found null; allowed: a whole number from 1 to 65536 (revisions)"
        ),
        (
            #"{"auth": {"createSessions": 1}}"#,
            "auth.createSessions: found 1; allowed: true or false"
        ),
        (
            #"{"ping": {"intervalSeconds": "never"}}"#,
            #"ping.intervalSeconds: found "never"; allowed: a whole number from 1 to 120 (seconds), "#
                + #"or "off""#
        ),
        (
            #"{"ping": {"pongSeconds": 0.0001}}"#,
            "ping.pongSeconds: found 0.0001; allowed: a number from 0.1 to 119.999 (seconds, up to "
                + "three decimals)"
        ),
        (
            #"{"betslip": {"confirm": "maybe"}}"#,
            #"betslip.confirm: found "maybe"; allowed: "host", "auto""#
        ),
        (#"{"loops": 65}"#, "loops: found 65; allowed: a whole number from 1 to 64 (loops)"),
        (
            #"{"listen": "example.com:80"}"#,
            #"listen: found "example.com:80"; allowed: \#(ListenAddress.allowed)"#
        ),
        (#"{"data": ""}"#, #"data: found ""; allowed: the path of a folder"#),
        (
            #"{"secrets": {"queryParameters": ["a", 1]}}"#,
            #"secrets.queryParameters: found ["a",1]; allowed: a list of at most 64 texts of 1 to "#
                + "128 bytes"
        ),
        (
            #"{"handlers": {"a": "nobody"}}"#,
            #"handlers: found {"a":"nobody"}; allowed: an object of at most 256 names of 1 to 128 "#
                + #"bytes, each with "genius", "sauceflex", "lisa", "sportradar", "bambuser"; "#
                + "a vendor's own handler stays with it"
        ),
        (
            #"{"handlers": {"srBridge": "genius"}}"#,
            #"handlers: found {"srBridge":"genius"}; allowed: an object of at most 256 names of 1 to "#
                + #"128 bytes, each with "genius", "sauceflex", "lisa", "sportradar", "bambuser"; "#
                + "a vendor's own handler stays with it"
        ),
        (
            #"{"effects": {"deadlineSeconds": 0}}"#,
            "effects.deadlineSeconds: found 0; allowed: a whole number from 1 to 600 (seconds)"
        ),
        (
            #"{"vendors": {"sauceflex": {"pipUseDelayMilliseconds": 60001}}}"#,
            "vendors.sauceflex.pipUseDelayMilliseconds: found 60001; allowed: a whole number from 0 "
                + "to 60000 (milliseconds)"
        ),
        (
            #"{"vendors": {"sauceflex": {"shareField": ""}}}"#,
            #"vendors.sauceflex.shareField: found ""; allowed: a text of 1 to 256 bytes"#
        ),
        (
            #"{"vendors": {"bambuser": {"openURLPatterns": "/privacy"}}}"#,
            #"vendors.bambuser.openURLPatterns: found "/privacy"; allowed: a list of at most 64 "#
                + "texts of 1 to 256 bytes"
        ),
        (
            #"{"vendors": {"bambuser": {"template": "a.html"}}}"#,
            "vendors.bambuser.template: unknown key; allowed in vendors.bambuser: openURLPatterns"
        ),
        (
            #"{"vendors": {"lisa": {}}}"#,
            "vendors.lisa: unknown key; allowed in vendors: genius, sauceflex, sportradar, bambuser"
        ),
        (
            #"{"ping": 5}"#,
            "ping: found a number; allowed: an object with intervalSeconds, pongSeconds"
        ),
        (
            #"{"ping": {"interval": 5}}"#,
            "ping.interval: unknown key; allowed in ping: intervalSeconds, pongSeconds"
        ),
        (#"{"drain": {"seconds": 1, "seconds": 2}}"#, "drain.seconds: found twice; allowed: once"),
        (
            #"{"ping.intervalSeconds": 5}"#,
            "ping.intervalSeconds: unknown key; allowed at the top: listen, data, loops, durability, "
                + "auth, limits, ping, history, snapshot, store, sessions, stage, effects, betslip, "
                + "vendors, handlers, secrets, bounds, tls, drain, log"
        ),
        (
            #"{"handlers": {"\ud800": "genius"}}"#,
            "handlers.\u{FFFD}: found half a surrogate pair; allowed: valid Unicode text"
        ),
    ])
    func `a wrong value is named with file, key, what was found and what is allowed`(
        text: String, problem: String
    ) {
        let found = problems(text)
        #expect(found == ["/etc/coordd.json: " + problem])
    }

    @Test(arguments: [
        (#"{"data": "/srv/coordd", "secrets": {"keyFile": "/srv/coordd/key"}}"#, false),
        (#"{"data": "/srv/coordd/", "secrets": {"keyFile": "/srv/coordd/deep/key"}}"#, false),
        (#"{"data": "/etc"}"#, false),
        (#"{"data": "/srv/coordd", "secrets": {"keyFile": "/srv/coordd.key"}}"#, true),
    ])
    func `the key lies outside the data folder`(text: String, isAllowed: Bool) {
        let found = problems(text)
        #expect(found.isEmpty == isAllowed)
        #expect(found.allSatisfy { $0.contains("allowed: outside the data folder") })
    }

    @Test func `all problems of all sources are named at once`() {
        let found = problems(
            #"{"drain": {"seconds": -1}, "nonsense": 0, "loops": 0}"#,
            environment: ["COORDD_DRAIN_SECONDS": "soon", "COORDD_DRAIN_SECOND": "1"])
        let keys = found.map { $0.split(separator: ":").prefix(2).joined(separator: ":") }
        #expect(
            keys == [
                "/etc/coordd.json: drain.seconds", "/etc/coordd.json: nonsense",
                "/etc/coordd.json: loops",
                "environment COORDD_DRAIN_SECOND: no key has this name; allowed",
                "environment COORDD_DRAIN_SECONDS: drain.seconds",
            ])
    }

    @Test(arguments: [
        (#"{"drain": {"#, "1:12: not JSON: a name is expected"),
        ("{\n  \"é\": 1,\n  \"drain\" 2\n}", "3:11: not JSON: ':' is expected"),
        ("{ // }\n /* x\n", "2:2: a comment starts here and does not end"),
        ("{\"drain\": /* ü */ x}", "1:19: not JSON: a value is expected"),
    ])
    func `broken text is named with line and column`(text: String, problem: String) {
        #expect(problems(text) == ["/etc/coordd.json:" + problem])
    }

    @Test func `a file must be one object`() {
        #expect(problems("[]") == ["/etc/coordd.json: found an array; allowed: one JSON object"])
    }

    @Test func `a file that is not there is named with the reason`() {
        #expect(throws: ConfigurationProblems.self) {
            try ConfigurationLoader.load(file: "/nonexistent/coordd.json", environment: [:])
        }
        let found = problems(#"{"vendors": {"genius": {"template": "no.html"}}}"#)
        #expect(
            found == [
                "/etc/coordd.json: vendors.genius.template: /etc/no.html cannot be read: No such "
                    + "file or directory"
            ])
    }

    @Test(arguments: ["genius", "sportradar"])
    func `a template needs the one placeholder once`(vendor: String) {
        let text = #"{"vendors": {"\#(vendor)": {"template": "t.html"}}}"#
        let start = "/etc/coordd.json: vendors.\(vendor).template: /etc/t.html: "
        #expect(
            problems(text, files: ["/etc/t.html": "<p>"])
                == [start + "the placeholder {{config}} is missing"])
        #expect(
            problems(text, files: ["/etc/t.html": "{{config}} {{config}}"])
                == [start + "{{ stands 2 times; once is allowed"])
        #expect(
            problems(text, files: ["/etc/t.html": "{{title}}"])
                == [start + "the placeholder {{title}} is unknown; use {{config}}"])
    }

    @Test func `keys that must fit together are compared`() {
        #expect(
            problems(#"{"ping": {"intervalSeconds": 5}}"#)
                == [
                    "/etc/coordd.json: ping.pongSeconds: found 10; allowed: below "
                        + "ping.intervalSeconds, which is 5"
                ])
        #expect(problems(#"{"ping": {"intervalSeconds": 1, "pongSeconds": 0.999}}"#).isEmpty)
        #expect(problems(#"{"ping": {"intervalSeconds": 1, "pongSeconds": 1}}"#).count == 1)
        #expect(problems(#"{"ping": {"intervalSeconds": "off", "pongSeconds": 60}}"#).isEmpty)
        #expect(
            problems(#"{"bounds": {"stateBytes": 8192}}"#)
                == [
                    "/etc/coordd.json: bounds.contentBytes: found 16384; allowed: at most "
                        + "bounds.stateBytes, which is 8192"
                ])
    }

    @Test func `a problem stays on one line whatever the file says`() {
        let found = problems("{\"a\\nb\\u001b[31m\": 1}")
        #expect(found.count == 1)
        #expect(found[0].hasPrefix(#"/etc/coordd.json: a\nb\u001b[31m: unknown key"#))
    }
}
