import Actors
import Coordinator
import Testing
import coordd

@Suite struct ToolTests {
    private func run(_ arguments: [String], environment: [String: String] = [:]) async -> ToolRun {
        await ToolRun(arguments, environment: environment)
    }

    @Test func `without arguments it prints help and exits 2`() async {
        let run = await run([])
        #expect(run.code == .usage)
        #expect(run.output.contains("usage: coordd COMMAND"))
        #expect(run.error.isEmpty)
    }

    @Test func `help names every command and exits 0`() async {
        let run = await run(["help"])
        #expect(run.code == .done)
        for command in [
            "serve", "check-config", "simulate", "watch", "send", "replay", "sessions list",
            "sessions show", "sessions export", "sessions import", "sessions delete", "backup",
            "verify",
        ] {
            #expect(run.output.contains("\n  \(command) "))
        }
        for command in [
            "serve", "check-config", "simulate", "watch", "send", "replay", "sessions export",
            "backup", "verify",
        ] {
            let help = await self.run(command.split(separator: " ").map(String.init) + ["--help"])
            #expect(help.code == .done)
            #expect(help.output.hasPrefix("usage: coordd \(command) "))
        }
    }

    @Test func `the help of a command with actions names them`() async {
        let first = "usage: coordd sessions list [--data DIR] [--config FILE] "
        for arguments in [
            ["help", "sessions"], ["sessions", "--help"], ["help", "sessions", "list"],
            ["sessions", "list", "-h"],
        ] {
            let run = await run(arguments)
            #expect(run.code == .done)
            #expect(run.output.hasPrefix(first))
        }
        #expect(await run(["sessions"]).code == .usage)
    }

    @Test func `wrong usage goes to standard error and exits 2`() async {
        let run = await run(["watch", "s", "--fast\u{1B}[0m"])
        #expect(run.code == .usage)
        #expect(run.output.isEmpty)
        #expect(run.error.hasPrefix(#"coordd watch: unknown flag "--fast\\u001b[0m"; allowed: "#))
        #expect(run.error.hasSuffix("\nTry 'coordd help watch'.\n"))
    }

    @Test func `check-config prints what is in effect and where it comes from`() async {
        let run = await run(
            ["check-config", ProjectFile("Config/coordd.example.json").path],
            environment: ["COORDD_DRAIN_SECONDS": "3"])
        #expect(run.code == .done)
        #expect(run.error.isEmpty)
        let lines = run.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.contains(["listen", "127.0.0.1:8787", "file"]))
        #expect(lines.contains(["data", "/var/lib/coordd", "default"]))
        #expect(lines.contains(["drain"]))
        #expect(lines.contains(["seconds", "3", "environment", "COORDD_DRAIN_SECONDS"]))
    }

    @Test func `check-config prints JSON`() async throws {
        let run = await run(
            ["check-config", "--json", ProjectFile("Config/coordd.example.json").path],
            environment: ["COORDD_LISTEN": "0.0.0.0:80"])
        #expect(run.code == .done)
        let report = try JSONParser.parse(text: run.output).root
        #expect(report["ok"] == true)
        #expect(report["configuration"]?["limits"]?["messageBytes"] == 65_536)
        #expect(
            report["configuration"]?["vendors"]?["genius"]?["fullscreenSelector"]
                == ".video-container, .container-video")
        #expect(report["origins"]?["listen"] == "environment COORDD_LISTEN")
        #expect(report["notes"]?.array?.count == 1)
    }

    @Test func `check-config names every problem and exits 2`() async throws {
        let run = await run(
            ["check-config", "--json", "/nonexistent/coordd.json"],
            environment: ["COORDD_LOOPS": "x"])
        #expect(run.code == .usage)
        #expect(
            run.error == """
                /nonexistent/coordd.json: cannot be read: No such file or directory
                environment COORDD_LOOPS: loops: found "x"; allowed: a whole number from 1 to 64 (loops)

                """)
        let report = try JSONParser.parse(text: run.output).root
        #expect(report["ok"] == false)
        #expect(report["problems"]?.array?.count == 2)
    }

    @Test func `serve refuses a public address without authentication`() async {
        let run = await run(["serve", "--listen", "0.0.0.0:0"])
        #expect(run.code == .usage)
        #expect(run.error.hasPrefix("flag --listen: listen: found 0.0.0.0:0, which other machines"))
    }
}
