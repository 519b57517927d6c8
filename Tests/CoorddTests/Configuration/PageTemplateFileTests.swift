import Actors
import Coordinator
import Testing
import coordd

/// The templates that are built in, and the files they are made from.
@Suite struct PageTemplateFileTests {
    @Test(arguments: [
        ("genius", GeniusTemplate.builtIn), ("sportradar", SportradarTemplate.builtIn),
    ])
    func `the template that is built in is valid and the file in Config`(
        name: String, builtIn: String
    ) throws {
        _ = try PageTemplate(builtIn)
        let text = try ProjectFile("Config/\(name).html").text()
        #expect(text == builtIn, "run 'make template'")
    }
}
