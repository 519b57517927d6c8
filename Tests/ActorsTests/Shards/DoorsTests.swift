import Coordinator
import TestSupport
import Testing

@testable import Actors

@Suite struct DoorsTests {
    private func settings(_ connections: Int, perAddress: Int = 0) -> ServerSettings {
        var settings = ServerSettings()
        settings.connections = connections
        settings.connectionsPerAddress = perAddress
        return settings
    }

    @Test func `both caps hold, and numbers are never given twice`() {
        let doors = Doors()
        let settings = settings(3, perAddress: 2)
        #expect(doors.admit(from: "a", settings) == 1)
        #expect(doors.admit(from: "a", settings) == 2)
        #expect(doors.admit(from: "a", settings) == nil)
        #expect(doors.admit(from: "b", settings) == 3)
        #expect(doors.admit(from: "c", settings) == nil)
        doors.closed(from: "a", wasLeaving: false)
        #expect(doors.count == 2)
        #expect(doors.admit(from: "a", settings) == 4)
    }

    @Test func `a drain waits for all loops, and for a connection between two`() {
        let doors = Doors()
        for _ in 0..<2 { _ = doors.admit(from: "a", settings(10)) }
        let isDrained = Locked(false)
        doors.departed()
        doors.drain(loops: 2) { isDrained.withLock { $0 = true } }
        #expect(doors.isDraining)
        doors.leave(1)
        doors.closed(from: "a", wasLeaving: true)
        doors.leave(0)
        #expect(!isDrained.withLock { $0 })
        doors.arrived(leaves: true)
        #expect(!isDrained.withLock { $0 })
        doors.closed(from: "a", wasLeaving: true)
        #expect(isDrained.withLock { $0 })
        #expect(doors.count == 0)
    }
}
