import Actors
import Coordinator
import Glibc

/// The running daemon, put together: the only place that knows every concrete type.
final class Daemon: Sendable {
    private let configuration: Configuration
    private let readyFile: String?
    private let log: Log
    /// The first one has the store, the listeners and the signals, and the daemon itself.
    private let loops: [UVEventLoop]
    private let parts: LoopBound<Parts>
    private let exitCode: Locked<ExitCode>

    private struct Parts {
        var folder: DataFolder?
        var store: SQLiteStore?
        var shards: Shards?
        var tls: TLSEndpoint?
        var signals: [UVSignal] = []
        var retention: (any LoopTimer)?
        var drainLimit: (any LoopTimer)?
        var ending: (any LoopTimer)?
        var isDraining = false
        var isEnding = false
    }

    /// Seconds after the drain's end until connections that did not go are closed.
    private static let drainGraceSeconds: Int64 = 3

    private init(
        _ configuration: Configuration, readyFile: String?, log: Log, loops: [UVEventLoop],
        exitCode: Locked<ExitCode>
    ) {
        self.configuration = configuration
        self.readyFile = readyFile
        self.log = log
        self.loops = loops
        self.exitCode = exitCode
        parts = LoopBound(Parts(), on: loops[0])
    }

    private var loop: UVEventLoop { loops[0] }

    /// Serves until a signal ends it.
    ///
    /// - Throws: ``UVError`` when the system gives no event loop.
    static func serve(
        _ configuration: Configuration, readyFile: String?, log: Log
    ) async throws(UVError) -> ExitCode {
        ProcessLimits.takeFullFilesForErrors()
        let descriptors = ProcessLimits.raiseDescriptors()
        let configuration = configuration.fitted(to: descriptors, log)
        if configuration.hasOpenOrigins { log.warning(Configuration.openOriginsNote) }
        let loops = try UVEventLoop.several(configuration.loopCount, name: "sessions")
        let exitCode = Locked(ExitCode.done)
        for loop in loops { loop.start() }
        loops[0].execute {
            Daemon(
                configuration, readyFile: readyFile, log: log, loops: loops, exitCode: exitCode
            ).open()
        }
        for loop in loops { await loop.finished() }
        return exitCode.withLock { $0 }
    }

    private func open() {
        let health = Health()
        let folder: DataFolder
        let store: SQLiteStore
        do {
            folder = try DataFolder(configuration.data)
            store = try openStore(in: folder, health)
        } catch {
            log.error(
                "cannot use the data folder",
                ["folder": .string(configuration.data), "error": .string("\(error)")])
            exitCode.withLock { $0 = .failed }
            return loops.forEach { $0.stop() }
        }
        health.report(.starting, "the daemon is about to serve")
        parts.withValue { parts in
            parts.folder = folder
            parts.store = store
        }
        Shards.open(on: loops, over: store, configuration.options(log, health)) { shards in
            self.parts.withValue { $0.shards = shards }
            self.listen(shards.server, health)
        }
    }

    private func listen(_ server: Server, _ health: Health) {
        do {
            let address = try server.listen(on: listener(on: configuration.listen))
            let secured = try listenWithTLS(server)
            let signals = [
                try UVSignal(on: loop, signal: SIGTERM) { self.signalled(.done) },
                try UVSignal(on: loop, signal: SIGINT) { self.signalled(.interrupted) },
                // A terminal that goes away must not take the sessions with it.
                try UVSignal(on: loop, signal: SIGHUP) { self.reload() },
            ]
            parts.withValue { $0.signals = signals }
            if let readyFile {
                // First, since whoever waits for the other one may want this one, too.
                if let secured { try ReadyFile.write(secured, to: readyFile + ".tls") }
                try ReadyFile.write(address, to: readyFile)
            }
            health.clear(.starting)
            log.info(
                "listening",
                [
                    "address": .string(address), "version": .string(Version.text),
                    "loops": .integer(loops.count),
                ])
            if let secured { log.info("listening with TLS", ["address": .string(secured)]) }
            forgetOldSessions()
            parts.withValue { $0.store }?.scrub(perSecond: configuration.store.scrubPerSecond)
        } catch {
            log.error("cannot serve", ["error": .string("\(error)")])
            exitCode.withLock { $0 = .failed }
            end()
        }
    }

    private func listener(on address: ListenAddress) throws(UVError) -> UVListener {
        try UVListener(on: loop, host: address.numericHost, port: address.port)
    }

    /// Begins to listen with TLS, if the configuration says so; gives `HOST:PORT`.
    private func listenWithTLS(_ server: Server) throws -> String? {
        guard let address = configuration.tls.listen, let files = configuration.tlsFiles else {
            return nil
        }
        let endpoint = try TLSEndpoint(files, at: loop.now)
        endpoint.describe(to: log, at: loop.now)
        parts.withValue { $0.tls = endpoint }
        return try server.listen(on: listener(on: address), tls: endpoint)
    }

    /// Reads anew what can change while the daemon runs.
    private func reload() {
        guard let endpoint = parts.withValue({ $0.tls }) else {
            return log.info("nothing of the configuration can be reloaded without TLS")
        }
        do throws(TLSFiles.Problem) {
            try endpoint.reload(at: loop.now)
            endpoint.describe(to: log, at: loop.now)
        } catch {
            log.error(
                "the TLS certificate was not reloaded, the one before stays in use",
                ["error": .string("\(error)")])
        }
    }

    private func openStore(in folder: DataFolder, _ health: Health) throws -> SQLiteStore {
        let key = try KeyFile.key(
            at: configuration.secrets.keyFile, isNeeded: folder.hasDatabase)
        if folder.hasEmptyDatabase, !folder.hasDatabase {
            log.warning("the database is there and empty: it is made anew")
        }
        try folder.reserveDatabase()
        var limits = configuration.storeLimits
        if let total = FreeSpace.total(in: folder.path) { limits.fit(totalBytes: total) }
        let store = try SQLiteStore(
            path: folder.database, key: key, durability: configuration.durability,
            settings: configuration.sessionSettings,
            limits: limits, damaged: configuration.store.damaged,
            note: configuration.secrets.keyFile, loop: loop
        ) { [log] progress in log.info("the store is not open yet", ["doing": .string(progress)]) }
        let tell = { @Sendable [log] (finding: StoreFinding) in
            if finding.isDamage {
                health.note("store: \(finding.text)")
                log.error("the store was damaged", ["found": .string(finding.text)])
            } else {
                log.warning("the store", ["found": .string(finding.text)])
            }
        }
        store.findings.forEach(tell)
        store.observePages(tell)
        store.observeFailures { [log] reason in
            if let reason {
                health.report(.store, reason)
                log.error("the store takes no changes", ["error": .string(reason)])
            } else {
                health.clear(.store)
                log.info("the store takes changes again")
            }
        }
        store.observeDamage { [self] damage in
            let (session, reason) = (damage.session.description, damage.reason)
            parts.withValue { $0.shards }?.sessionDamaged(damage.outcome)
            switch damage.outcome {
            case .setAside:
                health.note("session \(session): \(reason)")
                log.error(
                    "a session cannot be read",
                    ["session": .string(session), "error": .string(reason)])
            case .newEpoch:
                health.note("session \(session) has a new epoch: \(reason)")
                log.error(
                    "a damaged session goes on from its last good state, in a new epoch",
                    ["session": .string(session), "error": .string(reason)])
            }
        }
        store.observeBurials { [log] count in
            log.info("sessions deleted by age", ["sessions": .integer(count)])
        }
        return store
    }

    /// Deletes what was kept for long enough, and looks again later.
    private func forgetOldSessions() {
        let plan = configuration.retention
        let (store, shards) = parts.withValue { ($0.store, $0.shards) }
        store?.expire(plan.limits(at: loop.now))
        shards?.shrinkIfSparse()
        let timer = loop.schedule(afterMilliseconds: plan.lookSeconds * 1000) {
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
        guard !isSecond, let server = parts.withValue({ $0.shards?.server }) else {
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
        let (isEnding, shards) = parts.withValue { parts in
            parts.retention = nil
            parts.drainLimit = nil
            defer { parts.isEnding = true }
            return (parts.isEnding, parts.shards)
        }
        if isEnding { return }
        guard let shards else { return closeStore() }
        shards.close {
            // One turn later: what the closed connections changed is settled then.
            let timer = self.loop.schedule(afterMilliseconds: 0) { self.retire(shards) }
            self.parts.withValue { $0.ending = timer }
        }
    }

    private func retire(_ shards: Shards) {
        // Otherwise the journal has all of it.
        guard configuration.durability == .memory else { return closeStore() }
        shards.passivateAll { self.closeStore() }
    }

    private func closeStore() {
        guard let store = parts.withValue({ $0.store }) else { return finish() }
        store.close { isWhole in
            if !isWhole {
                self.log.error("sessions could not be written and are lost")
                self.exitCode.withLock { $0 = .failed }
            }
            self.finish()
        }
    }

    private func finish() {
        log.info("ended")
        parts.withValue { $0.shards }?.part()
        for loop in loops { loop.stop() }
    }
}

extension Configuration {
    /// The same with no more connections than there are descriptors for; the log is told of it.
    fileprivate func fitted(to descriptors: Int, _ log: Log) -> Configuration {
        let connections = ProcessLimits.connections(
            wanted: limits.connections, descriptors: descriptors)
        guard connections < limits.connections else { return self }
        log.warning(
            "too few descriptors for limits.connections",
            [
                "descriptors": .integer(descriptors), "wanted": .integer(limits.connections),
                "connections": .integer(connections),
            ])
        var fitted = self
        fitted.limits.connections = connections
        return fitted
    }
}
