import Actors

/// Where a command's words go.
package struct Console: Sendable {
    /// Takes text for standard output.
    package let print: @Sendable (String) -> Void
    /// Takes text for standard error.
    package let complain: @Sendable (String) -> Void

    /// A console that hands text to closures, for tests.
    package init(
        print: @escaping @Sendable (String) -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.print = print
        self.complain = complain
    }

    /// The process's own standard output and standard error.
    package static let standard = Console(
        print: { StandardStream.output.write(Array($0.utf8)) },
        complain: { StandardStream.error.write(Array($0.utf8)) })
}
