import Actors
import Coordinator
import Glibc

/// The running daemon, put together: the only place that knows every concrete type.
final class Daemon: Sendable {
    private let configuration: Configuration
    private let readyFile: String?
    private let log: Log
    private let loop: UVEventLoop
    private let parts: LoopBound<Parts>
    private let exitCode: Locked<ExitCode>

    private struct Parts {
        var store: MemoryStore?
        var server: Server?
        var signals: [UVSignal] = []
        var retention: (any LoopTimer)?
        var drainLimit: (any LoopTimer)?
        var isDraining = false
    }

    /// Seconds between two looks for sessions that were kept long enough.
    private static let retentionSeconds: Int64 = 60
    /// Seconds after the drain's end until connections that did not go are closed.
    private static let drainGraceSeconds: Int64 = 3

    private init(
        _ configuration: Configuration, readyFile: String?, log: Log, loop: UVEventLoop,
        exitCode: Locked<ExitCode>
    ) {
        self.configuration = configuration
        self.readyFile = readyFile
        self.log = log
        self.loop = loop
        self.exitCode = exitCode
        parts = LoopBound(Parts(), on: loop)
    }

    /// Serves until a signal ends it.
    ///
    /// - Throws: ``UVError`` when the system gives no event loop.
    static func serve(
        _ configuration: Configuration, readyFile: String?, log: Log
    ) async throws(UVError) -> ExitCode {
        let descriptors = ProcessLimits.raiseDescriptors()
        if descriptors < configuration.limits.connections {
            log.warning(
                "fewer descriptors than limits.connections",
                ["descriptors": .integer(descriptors)])
        }
        let loop = try UVEventLoop(name: "sessions")
        let exitCode = Locked(ExitCode.done)
        loop.start()
        loop.execute {
            Daemon(
                configuration, readyFile: readyFile, log: log, loop: loop, exitCode: exitCode
            ).open()
        }
        await loop.finished()
        return exitCode.withLock { $0 }
    }

    private func open() {
        let store = MemoryStore(loop: loop)
        let sessions = SessionSystem(
            loop: loop, store: store, settings: configuration.sessionSettings,
            idleSeconds: Int64(configuration.sessions.idleSeconds),
            maximumSessions: configuration.limits.sessions)
        let health = Health(on: loop)
        let server = Server(
            loop: loop, sessions: sessions, settings: configuration.serverSettings, log: log,
            health: health)
        health.report(.starting, "the daemon is about to serve")
        parts.withValue { parts in
            parts.store = store
            parts.server = server
        }
        do {
            let address = try server.listen(
                host: configuration.listen.numericHost, port: configuration.listen.port)
            let signals = [
                try UVSignal(on: loop, signal: SIGTERM) { self.signalled(.done) },
                try UVSignal(on: loop, signal: SIGINT) { self.signalled(.interrupted) },
                // A terminal that goes away must not take the sessions with it.
                try UVSignal(on: loop, signal: SIGHUP) {
                    self.log.info("nothing of the configuration can be reloaded yet")
                },
            ]
            parts.withValue { $0.signals = signals }
            if let readyFile { try ReadyFile.write(address, to: readyFile) }
            health.clear(.starting)
            log.info("listening", ["address": .string(address), "version": .string(Version.text)])
            forgetOldSessions()
        } catch {
            log.error("cannot serve", ["error": .string("\(error)")])
            exitCode.withLock { $0 = .failed }
            end()
        }
    }

    /// Deletes what was kept for `sessions.retainSeconds`, and looks again later.
    private func forgetOldSessions() {
        let now = loop.now
        let count =
            parts.withValue { $0.store }?.expire(
                passivatedBefore: now.advanced(
                    bySeconds: -Int64(configuration.sessions.retainSeconds)),
                deletedBefore: now.advanced(
                    bySeconds: -Int64(configuration.bounds.placementSeconds)))
            ?? 0
        if count > 0 { log.info("sessions deleted by age", ["sessions": .integer(count)]) }
        let timer = loop.schedule(afterMilliseconds: Self.retentionSeconds * 1000) {
            self.forgetOldSessions()
        }
        parts.withValue { $0.retention = timer }
    }

    /// The first signal drains, the second ends at once; both without harm.
    private func signalled(_ code: ExitCode) {
        let isSecond = parts.withValue { parts in
            defer { parts.isDraining = true }
            return parts.isDraining
        }
        exitCode.withLock { $0 = code }
        guard !isSecond, let server = parts.withValue({ $0.server }) else {
            log.warning("ending at once")
            return end()
        }
        log.info("draining", ["connections": .integer(server.connectionCount)])
        let limit = Int64(configuration.drain.seconds) + Self.drainGraceSeconds
        let timer = loop.schedule(afterMilliseconds: limit * 1000) { self.end() }
        parts.withValue { $0.drainLimit = timer }
        server.drain { self.end() }
    }

    private func end() {
        let server = parts.withValue { parts in
            parts.retention = nil
            parts.drainLimit = nil
            return parts.server
        }
        server?.close()
        log.info("ended")
        loop.stop()
    }
}
