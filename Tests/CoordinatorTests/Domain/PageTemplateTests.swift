import Coordinator
import Testing

@Suite struct PageTemplateTests {
    @Test(arguments: ["{{config}}", "a{{config}}b", "é{{config}}é }}", "{ {{config}} }}"])
    func `a text with one placeholder is a template`(text: String) throws {
        let filled = try PageTemplate(text).filled(with: [:])
        let halves = text.split(separator: "{{config}}", omittingEmptySubsequences: false)
        #expect(filled.utf8.starts(with: "\(halves[0]){}".utf8))
    }

    @Test(arguments: [
        "", "config", "{config}", "{{config", "{{ config }}", "{{Config}}", "{{other}}",
        "{{config}}{{config}}", "{{config}} {{other}}", "{{other}} {{config}}", "{{}}",
    ])
    func `a text without it, with two or with another is refused`(text: String) {
        #expect(throws: PageTemplate.Problem.self) { try PageTemplate(text) }
    }

    @Test func `the configuration cannot end the script or break its lines`() throws {
        let template = try PageTemplate("<script>{{config}}</script>")
        let filled = template.filled(with: ["a": "</script><!--\u{2028}\u{2029}\"\\é"])
        #expect(
            filled == #"<script>{"a":"\u003c/script>\u003c!--\u2028\u2029\"\\é"}</script>"#)
    }

    @Test func `a value that looks like the placeholder is left alone`() throws {
        let filled = try PageTemplate("x={{config}};").filled(with: ["a": "{{config}}"])
        #expect(filled == #"x={"a":"{{config}}"};"#)
    }
}
