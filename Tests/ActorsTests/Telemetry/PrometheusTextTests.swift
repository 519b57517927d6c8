import Testing

/// The reader that other tests trust must refuse what is wrong.
@Suite struct PrometheusTextTests {
    private static let head = "# HELP coordd_a_total Help.\n# TYPE coordd_a_total counter\n"

    @Test func `what is right is read`() throws {
        let page = try PrometheusText(Self.head + "coordd_a_total{b=\"x\\\"\\\\\\n\",c=\"\"} 1.5\n")
        #expect(page.values == ["coordd_a_total{b=\"x\\\"\\\\\\n\",c=\"\"}": 1.5])
    }

    @Test(arguments: [
        head + "coordd_a_total 1", head + "coordd_a_total\n", head + "coordd_a_total x\n",
        head + "coordd_a_total -1\n", head + "coordd_a_total 1\ncoordd_a_total 2\n",
        head + "coordd_b_total 1\n", "coordd_a_total 1\n", head + head, head + "\n",
        head + "coordd_a_total{b=x} 1\n", head + "coordd_a_total{b=\"x} 1\n",
        head + "coordd_a_total{} 1\n", head + "coordd_a_total{b=\"x\",} 1\n",
        head + "coordd_a_total{b=\"x\",b=\"y\"} 1\n", head + "coordd_a_total{1=\"x\"} 1\n",
        head + "coordd_a_total{b=\"\\x\"} 1\n",
        "# HELP coordd_a Help.\n# TYPE coordd_a counter\ncoordd_a 1\n",
        "# TYPE coordd_a gauge\ncoordd_a 1\n", "# HELP 1a Help.\n",
        "# HELP coordd_h H.\n# TYPE coordd_h histogram\ncoordd_h_bucket{le=\"1\"} 2\n"
            + "coordd_h_bucket{le=\"+Inf\"} 1\ncoordd_h_sum 1\ncoordd_h_count 1\n",
        "# HELP coordd_h H.\n# TYPE coordd_h histogram\ncoordd_h_bucket{le=\"1\"} 1\n"
            + "coordd_h_bucket{le=\"+Inf\"} 1\ncoordd_h_sum 1\ncoordd_h_count 2\n",
        "# HELP coordd_h H.\n# TYPE coordd_h histogram\ncoordd_h_bucket{le=\"1\"} 1\n"
            + "coordd_h_sum 1\ncoordd_h_count 1\n",
    ])
    func `what is wrong is refused`(text: String) {
        #expect(throws: PrometheusText.Malformed.self) { try PrometheusText(text) }
    }
}
