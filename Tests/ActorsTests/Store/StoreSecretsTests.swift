import Actors
import Coordinator
import TestSupport
import Testing

/// Secrets planted wherever a client can put one are in no file of the data folder.
@Suite(.timeLimit(.minutes(5)))
struct StoreSecretsTests {
    /// Every planted secret has this in it.
    private static let mark = "hunter2"

    private static func content(_ fixture: String) -> JSON {
        [
            "customerId": "c1", "fixtureId": .string(fixture), "apiKey": "hunter2-apiKey",
            "user": "hunter2-user", "password": "hunter2-password",
            "userEmail": "hunter2@example.com", "deviceId": "d1",
            "note": "see https://a.example/?token=hunter2-note",
        ]
    }

    private static let events: [JSON] = [
        [
            "type": "device.navigation", "phase": "finished",
            "url": "https://a.example/p?accessToken=hunter2-url&x=1",
        ],
        [
            "type": "device.navigation", "phase": "failed",
            "error": "no https://a.example/?password=hunter2-error",
        ],
        ["type": "bridge", "handler": "gsVideoPlayerBridge", "body": ["type": "init"]],
        [
            "type": "bridge", "handler": "gsVideoPlayerBridge",
            "body": [
                "type": "multibet-event",
                "payload": [
                    "command": "openBetslip", "sportsbookSelectionId": "s1",
                    "sportsbookMarketContext": "https://a.example/?apikey=hunter2-market",
                    "decimalPrice": "2.5", "link": "https://a.example/?token=hunter2-link",
                ],
            ],
        ],
        [
            "type": "betslip.place", "placementId": "p1", "stake": "5",
            "note": "https://a.example/?token=hunter2-place",
        ],
        [
            "type": "betslip.settle", "placementId": "p1", "outcome": "rejected",
            "reason": "see https://a.example/?token=hunter2-reason",
        ],
        [
            "type": "bridge", "handler": "nobody",
            "body": ["url": "https://a.example/?TOKEN=hunter2-signal"],
        ],
        ["type": "fullscreen.set", "on": true],
    ]

    @Test(arguments: [1, 1000])
    func `no file holds a secret, and everything comes back all the same`(
        revisions: Int
    ) throws {
        var options = StoreRig.Options()
        options.settings.snapshots = SnapshotSettings(revisions: revisions, seconds: 60)
        let rig = try StoreRig(options: options)
        let session = try StoreRig.id("a")
        let (phone, mirror) = (rig.peer(), rig.peer())
        try rig.subscribe(mirror, to: session)
        try rig.attach(phone, to: session)
        var told = ""
        for (number, fixture) in ["f1", "f2"].enumerated() {
            let load: JSON = [
                "type": "player.load", "vendor": "genius", "content": Self.content(fixture),
            ]
            let heard = try rig.apply(
                load, to: session, by: phone, device: "phone", id: "load-\(number)")
            #expect(heard.error == nil)
            told += heard.pushes.map { JSONWriter.text(of: $0.payload) }.joined()
            for (place, event) in Self.events.enumerated() {
                try rig.apply(
                    event, to: session, by: phone, device: "phone", id: "\(number)-\(place)")
            }
        }
        // The stage gets them: they are not lost, but sealed.
        #expect(told.contains("hunter2-apiKey"))
        let seen = mirror.heard().joined(separator: "\n")
        #expect(seen.contains("player.load"))
        #expect(!seen.contains(Self.mark))
        rig.rest()
        try expectNoSecret(in: rig.folder)

        let after = try rig.crashed()
        let again = after.peer()
        let pending = JSONWriter.text(of: try after.attach(again, to: session))
        #expect(pending.contains("hunter2-apiKey"))
        #expect(try after.history(of: session).allSatisfy { !$0.contains(Self.mark) })
        after.system.connectionLost(again.number, following: [session])
        after.passivate(session)
        try expectNoSecret(in: after.folder)
        after.close()
        try expectNoSecret(in: after.folder)
        rig.close()
        try expectNoSecret(in: rig.folder)
    }

    private func expectNoSecret(in folder: TestFolder) throws {
        #expect(folder.names.contains("sessions.sqlite"))
        #expect(folder.names.reduce(0) { $0 + folder.bytes(of: $1).count } > 10_000)
        for name in folder.names {
            let bytes = folder.bytes(of: name)
            #expect(!contains(bytes, Array(Self.mark.utf8)), "\(name)")
        }
    }

    private func contains(_ bytes: [UInt8], _ pattern: [UInt8]) -> Bool {
        guard bytes.count >= pattern.count else { return false }
        var place = 0
        while let start = bytes[place...].firstIndex(of: pattern[0]) {
            if bytes[start...].starts(with: pattern) { return true }
            place = start + 1
        }
        return false
    }
}
