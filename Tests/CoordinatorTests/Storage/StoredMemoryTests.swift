import Coordinator
import Security
import TestSupport
import Testing

@Suite struct StoredMemoryTests {
    private func decode(_ text: String) throws -> SessionMemory {
        try SessionMemory(
            stored: try JSONParser.parse(text: text).root, try StoredMirror.vault())
    }

    private func again(_ memory: SessionMemory) throws -> SessionMemory {
        let vault = try StoredMirror.vault()
        let bytes = JSONWriter.bytes(of: memory.document(vault))
        return try SessionMemory(stored: try StoredMirror.parse(bytes), vault)
    }

    @Test func `a new memory is an empty object`() throws {
        #expect(SessionMemory().document(try StoredMirror.vault()) == [:])
        #expect(try decode("{}") == SessionMemory())
    }

    @Test func `every open member is read`() throws {
        let memory = try decode(StoredSamples.openMemory)
        #expect(memory.options.autoRotate == false && memory.options.closeOnPipClose == true)
        #expect(memory.pageDeaths == [Instant(milliseconds: 1), Instant(milliseconds: 2)])
        #expect(memory.remembersClose && memory.sawOrientation && memory.isStageTaken)
        #expect(memory.lifecycle == .background && memory.lastLandscape == .landscapeLeft)
        #expect(memory.stageDevice == "iphone")
        #expect(memory.stageGraceEnds == Instant(milliseconds: 1_767_225_600_001))
        #expect(memory.placements.map(\.state.id) == ["p0", "p1"])
        #expect(memory.outbox.effects.map(\.seq) == [2, 9, 10])
        #expect(memory.outbox.effects.map(\.rev) == [1, 4, 5])
        var outbox = memory.outbox
        #expect(outbox.nextSeq() == 13)
        #expect(try again(memory) == memory)
    }

    @Test func `every sealed member is read`() throws {
        let memory = try StoredSamples.memory()
        let restored = try again(memory)
        #expect(restored == memory)
        #expect(restored.content?.reveal { $0["password"] } == "hunter2")
        #expect(restored.pageDigest?.count == 32)
        #expect(
            memory.outbox.effects.map(\.order.kind) == [
                "loadPage", "setKeepAwake", "setFullscreen", "evaluateJavaScript",
                "requestOrientation",
            ])
    }

    @Test func `a placement is read and written alone`() throws {
        let record = try PlacementRecord(
            stored: try JSONParser.parse(text: StoredSamples.placement).root)
        #expect(record.number == 4 && record.slipRevision == 7 && record.offeredTo == "iphone")
        #expect(record.command.placementId == "p1" && record.command.ifSlip == 7)
        #expect(record.command.decimalPrice?.text == "1.850")
        #expect(record.command.stake?.text == "010.0")
        #expect(record.state.outcome == .accepted && record.state.reason == "ok")
        #expect(record.placedAt == Instant(milliseconds: 1_767_225_600_000))
        #expect(record.deadline == Instant(milliseconds: 1_767_225_630_000))
        #expect(JSONWriter.text(of: record.stored) == StoredSamples.placement)
    }

    @Test func `a placement without its optional members is read and written alone`() throws {
        let record = try PlacementRecord(
            stored: try JSONParser.parse(text: StoredSamples.barePlacement).root)
        #expect(record.command.ifSlip == nil && record.slipRevision == nil)
        #expect(record.state.outcome == nil && record.offeredTo == nil)
        #expect(JSONWriter.text(of: record.stored) == StoredSamples.barePlacement)
    }

    @Test(arguments: [
        (#""last":12"#, #""last":9"#, ["outbox", "effects", "10"]),
        (#""last":12,"#, "", ["outbox", "last"]),
        (#""last":12"#, #""last":18446744073709551615"#, ["outbox", "last"]),
        (#""9":{"#, #""09":{"#, ["outbox", "effects", "09"]),
        (#""9":{"#, #""-9":{"#, ["outbox", "effects", "-9"]),
        (#""9":{"#, #""10":{"#, ["outbox", "effects", "10"]),
        (#""on":true"#, #""on":true,"off":true"#, ["outbox", "effects", "9", "off"]),
        (#""kind":"setFullscreen""#, #""kind":"setSail""#, ["outbox", "effects", "9", "kind"]),
        (#""p0":{"#, #""p2":{"#, ["placements", "p2", "state", "id"]),
        (#""number":1"#, #""number":4"#, ["placements", "p0", "number"]),
        ("[1,2]", "[1,2.5]", ["pageDeaths", "1"]),
        (#""stake":"010.0""#, #""stake":10"#, ["placements", "p1", "command", "stake"]),
    ])
    func `a bad value is named by its path`(good: String, bad: String, path: [String]) throws {
        let text = StoredSamples.openMemory.replacing(good, with: bad)
        let fault = #expect(throws: StorageFault.self) { try decode(text) }
        #expect(fault?.path == path)
    }
}
