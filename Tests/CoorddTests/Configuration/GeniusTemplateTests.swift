import Actors
import Coordinator
import Glibc
import Testing
import coordd

@Suite struct GeniusTemplateTests {
    private static let file = ProjectFile("Config/genius.html")

    @Test func `the template that is built in is valid`() throws {
        _ = try PageTemplate(GeniusTemplate.builtIn)
    }

    @Test(.enabled(if: unsafe access(file.path, R_OK) == 0, "the file is not there yet"))
    func `the template that is built in is the file in Config`() throws {
        let text = try Self.file.text()
        #expect(text == GeniusTemplate.builtIn, "run 'make template'")
    }
}
