import Actors
import Testing

@Suite struct ProcessLimitsTests {
    @Test(arguments: [
        // A quarter is kept where there are few, 128 where there are many.
        (wanted: 1000, descriptors: 256, connections: 192),
        (wanted: 100, descriptors: 256, connections: 100),
        (wanted: 50_000, descriptors: 1024, connections: 896),
        (wanted: 50_000, descriptors: 65_536, connections: 50_000),
        (wanted: 50_000, descriptors: 50_127, connections: 49_999),
        (wanted: 50_000, descriptors: 0, connections: 50_000),
    ])
    func `some descriptors are never for connections`(
        wanted: Int, descriptors: Int, connections: Int
    ) {
        #expect(
            ProcessLimits.connections(wanted: wanted, descriptors: descriptors) == connections)
    }
}
