package import Actors

/// Where a command's words go.
package struct Console: Sendable {
    /// Takes text for standard output.
    package let print: @Sendable (String) -> Void
    /// Takes text for standard error.
    package let complain: @Sendable (String) -> Void
    /// Why not all text for standard output got there; nil when it did.
    package let fault: @Sendable () -> SystemFault?

    /// A console that hands text to closures, for tests.
    package init(
        print: @escaping @Sendable (String) -> Void,
        complain: @escaping @Sendable (String) -> Void,
        fault: @escaping @Sendable () -> SystemFault? = { nil }
    ) {
        self.print = print
        self.complain = complain
        self.fault = fault
    }

    /// The process's own standard output and standard error.
    package static let standard = Console(
        print: { OutputPipe.write($0) },
        complain: { StandardStream.error.write(Array($0.utf8)) },
        fault: { OutputPipe.fault })
}
