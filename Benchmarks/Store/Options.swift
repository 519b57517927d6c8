/// What the command line asks for.
struct Options {
    /// Where the databases are made: the disk that is measured.
    var folder = ".build/bench-store"
    /// Seconds of each measurement.
    var seconds: Int64 = 3
    /// Active sessions of the commit measurements.
    var sessions = [1, 16, 128, 1024]
    /// Stored sessions of the last measurement; 0 leaves it out.
    var stored = 100_000
    /// Sessions that are only stored in a daemon's data folder, for another benchmark.
    var fill = 0
    /// The file with that daemon's key.
    var key = ""
    var isJSON = false

    static let usage = """
        usage: bench-store [--folder PATH] [--seconds N] [--sessions N,N…] [--stored N] [--json]
               bench-store --fill N --folder PATH --key FILE

          --folder    where the databases are made (\(Options().folder))
          --seconds   of each measurement (\(Options().seconds))
          --sessions  active sessions, each with one event in flight (1,16,128,1024); 0: none
          --stored    sessions in the large database (\(Options().stored)); 0: none
          --json      print JSON instead of tables
          --fill      stores N sessions in the data folder of a stopped daemon and measures nothing
          --key       that daemon's key file
        """

    struct Fault: Error {
        var message: String
    }

    init() {}

    init(_ arguments: some Sequence<String>) throws(Fault) {
        var rest = arguments.makeIterator()
        while let name = rest.next() {
            if name == "--json" {
                isJSON = true
                continue
            }
            guard let value = rest.next() else { throw Fault(message: Self.usage) }
            switch name {
            case "--folder": folder = value
            case "--fill": fill = try Self.number(value)
            case "--key": key = value
            case "--seconds": seconds = Int64(try Self.number(value))
            case "--sessions":
                sessions = []
                for part in value.split(separator: ",") {
                    let count = try Self.number(String(part))
                    if count > 0 { sessions.append(count) }
                }
            case "--stored": stored = try Self.number(value)
            default: throw Fault(message: Self.usage)
            }
        }
    }

    private static func number(_ text: String) throws(Fault) -> Int {
        guard let number = Int(text), number >= 0 else {
            throw Fault(message: "\(text) is no number\n" + usage)
        }
        return number
    }
}
