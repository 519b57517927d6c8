/// What one loop has to say on the page of all metrics.
struct ServerTally: Sendable {
    var values: MetricValues
    var gauges: MetricGauges
}

extension [ServerTally] {
    /// All of it together; what there is one of in a process, the first loop says.
    var sum: ServerTally {
        guard var sum = first else {
            return ServerTally(values: MetricValues(), gauges: MetricGauges())
        }
        for tally in dropFirst() {
            sum.values.add(tally.values)
            sum.gauges.add(tally.gauges)
        }
        return sum
    }
}
