import Actors
import coordd

/// Files that exist only in a test.
func load(
    _ text: String? = nil, files: [String: String] = [:], environment: [String: String] = [:],
    flags: [(key: String, text: String, flag: String)] = [], isRoot: Bool = true
) throws(ConfigurationProblems) -> LoadedConfiguration {
    try ConfigurationLoader.load(
        file: text == nil ? nil : "/etc/coordd.json", environment: environment, flags: flags,
        isRoot: isRoot
    ) { path in
        if path == "/etc/coordd.json", let text { return .success(Array(text.utf8)) }
        guard let file = files[path] else {
            return .failure(FileText.Failure(reason: "No such file or directory"))
        }
        return .success(Array(file.utf8))
    }
}

/// The problems as lines; empty when there is none.
func problems(
    _ text: String? = nil, files: [String: String] = [:], environment: [String: String] = [:]
) -> [String] {
    do throws(ConfigurationProblems) {
        _ = try load(text, files: files, environment: environment)
        return []
    } catch {
        return error.list.map(\.description)
    }
}
