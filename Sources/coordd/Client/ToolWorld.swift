import Actors

/// What a tool on one connection needs from the outside.
package struct ToolWorld {
    /// Opens a connection.
    package var dial: (_ handler: @escaping (LinkEvent) -> Void) -> any Link
    /// Does something after so many milliseconds.
    package var schedule: (_ milliseconds: UInt64, _ work: @escaping () -> Void) -> Void
    /// Prints a line of the result.
    package var print: (String) -> Void
    /// Tells what happens around it, on standard error.
    package var note: (String) -> Void
    /// Takes the exit code; called once.
    package var finish: (Int32) -> Void

    /// A world.
    package init(
        dial: @escaping (_ handler: @escaping (LinkEvent) -> Void) -> any Link,
        schedule: @escaping (_ milliseconds: UInt64, _ work: @escaping () -> Void) -> Void,
        print: @escaping (String) -> Void, note: @escaping (String) -> Void,
        finish: @escaping (Int32) -> Void
    ) {
        self.dial = dial
        self.schedule = schedule
        self.print = print
        self.note = note
        self.finish = finish
    }

    /// A daemon at an address, which `device` connects to on a loop, under TLS with `tls` and with a
    /// token if there is one.
    init(
        _ address: ListenAddress, tls: TLSTrust?, as device: String, token: String?,
        on loop: UVEventLoop,
        print: @escaping (String) -> Void, note: @escaping (String) -> Void,
        finish: @escaping (Int32) -> Void
    ) {
        let pause = LoopPause(loop)
        self.init(
            dial: { handler in
                LineClient(
                    loop: loop, address: address.numericAddress, device: device, token: token,
                    tls: tls,
                    handler: handler)
            },
            schedule: { pause.schedule(afterMilliseconds: $0, $1) }, print: print, note: note,
            finish: finish)
    }
}
