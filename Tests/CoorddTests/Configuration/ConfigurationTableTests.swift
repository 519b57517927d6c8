import Coordinator
import Testing
import coordd

@Suite struct ConfigurationTableTests {
    @Test func `every key has its own name and environment variable`() {
        let keys = ConfigurationTable.keys
        #expect(Set(keys.map(\.name)).count == keys.count)
        #expect(Set(keys.map(\.environmentName)).count == keys.count)
    }

    @Test(arguments: [
        ("limits.messageBytes", "COORDD_LIMITS_MESSAGE_BYTES"), ("listen", "COORDD_LISTEN"),
        ("vendors.bambuser.openURLPatterns", "COORDD_VENDORS_BAMBUSER_OPEN_URL_PATTERNS"),
        ("limits.connectionsPerAddress", "COORDD_LIMITS_CONNECTIONS_PER_ADDRESS"),
        ("bounds.idempotencyIds", "COORDD_BOUNDS_IDEMPOTENCY_IDS"),
    ])
    func `a key's environment variable is split at capitals`(name: String, variable: String) {
        #expect(ConfigurationTable.key(name)?.environmentName == variable)
    }

    @Test func `every value that is shown can be read back`() throws {
        for key in ConfigurationTable.keys {
            let slot = key.slot
            guard slot.defaultNote == nil else { continue }
            let shown = slot.read(Configuration())
            let text = shown.string ?? JSONWriter.text(of: shown)
            let loaded = try load(environment: [key.environmentName: text])
            #expect(slot.read(loaded.configuration) == shown, "\(key.name)")
            #expect(loaded.origin(of: key) == .environment(key.environmentName))
        }
    }
}
