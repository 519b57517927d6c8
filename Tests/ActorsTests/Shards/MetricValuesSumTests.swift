import Coordinator
import Testing

@testable import Actors

@Suite struct MetricValuesSumTests {
    @Test func `every number is summed`() {
        var values = MetricValues()
        values.accepted = 1
        values.refusedConnections = 2
        values.bytesIn = 3
        values.bytesOut = 4
        values.events[5] = 5
        values.tracking.count("play")
        values.unhandledMessages = 6
        values.publications = 7
        values.deliveries = 8
        values.errors[1] = 9
        values.disconnects[1] = 10
        values.slowReaders = 11
        values.recovered = 12
        values.notRecovered = 13
        values.publishLatency.observe(14)
        values.commitLatency.observe(15)
        values.pendingCommits = 16
        values.failedCommits = 17
        values.sessionsSetAside = 18
        values.sessionsRenewed = 19
        values.tlsHandshakes[1] = 20
        values.tlsFailures[1] = 21
        values.misplacedTLS = 22
        values.unknownCarriers = 23
        values.responses[1] = 24
        var sum = MetricValues()
        sum.add(values)
        #expect(sum == values)
        sum.add(values)
        // A number that is not set above, or not summed, is the same as before.
        let same = zip(Mirror(reflecting: sum).children, Mirror(reflecting: values).children)
            .filter { "\($0.value)" == "\($1.value)" }
        #expect(same.map { $0.0.label } == [])
        #expect(sum.accepted == 2 && sum.events[5] == 10 && sum.publishLatency.sum == 28)
    }

    @Test func `of the names that pages track as many are kept as of one loop`() {
        var (first, second) = (NamedCounts(), NamedCounts())
        for number in 0..<30 { first.count("first-\(number)") }
        for number in 0..<30 { second.count("second-\(number)") }
        second.count("first-7")
        first.add(second)
        let all = first.all
        #expect(all.count == NamedCounts.limit + 1)
        #expect(all.first { $0.name == "first-7" }?.count == 2)
        #expect(all.last?.count == 10)
    }
}
