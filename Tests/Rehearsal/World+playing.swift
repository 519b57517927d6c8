import Actors
import Coordinator
import TestSupport

extension World {
    /// Takes random steps, then lets everything settle.
    func play(steps: Int) {
        disk.onProblem = { [unowned self] in fail($0) }
        disk.onRevision = { [unowned self] in revised($0, $1) }
        startDaemon()
        while tally.steps < steps, problem == nil {
            tally.steps += 1
            step()
            lookForGhosts()
        }
        if problem == nil { settle() }
        tally.revisions = disk.revisions
        tally.snapshots = disk.snapshots
        tally.comparisons += disk.comparisons
    }

    private func step() {
        var roll = Int.random(in: 0..<10_000, using: &random)
        func isNext(_ share: Int) -> Bool {
            defer { roll -= share }
            return roll >= 0 && roll < share
        }
        if isNext(weather.drops) {
            anyDevice().drop(
                Connection.Cut.allCases[Int(number(0...Int64(Connection.Cut.allCases.count - 1)))])
        } else if isNext(weather.crashes) {
            crash()
        } else if isNext(weather.stops) {
            stop()
        } else if isNext(weather.diskFaults) {
            diskFailsUntil = now + number(1...3000)
        } else if isNext(weather.burials) {
            bury()
        } else if isNext(weather.jumps) {
            advance(by: number(1000...(chance(5) ? 700_000 : 40_000)))
        } else {
            anyDevice().act()
        }
        advance(by: chance(30) ? 0 : number(0...weather.pace))
    }

    private func anyDevice() -> Device {
        devices[Int.random(in: 0..<devices.count, using: &random)]
    }

    private func crash() {
        guard let life, !life.isStopping else { return }
        tally.crashes += 1
        killDaemon()
        after(number(0...(chance(80) ? 50 : 5000))) { [self] in startDaemon() }
        // Now and then it dies again while it begins.
        if chance(20) {
            after(number(1...60)) { [self] in
                guard self.life?.isStopping == false else { return }
                tally.crashes += 1
                killDaemon()
                after(number(0...50)) { [self] in startDaemon() }
            }
        }
    }

    private func stop() {
        guard let life, !life.isStopping else { return }
        tally.stops += 1
        trace("the daemon is told to stop")
        life.stop()
        after(4000) { [self, weak life] in
            guard let life, self.life === life else { return }
            life.server.close()
            life.loop.run()
            life.store.flush()
            life.loop.run()
            life.store.flush()
            killDaemon()
            after(20) { [self] in startDaemon() }
        }
    }

    /// Deletes a session that nobody has used for long.
    private func bury() {
        guard let life, !life.isStopping,
            let session = disk.sessions.first(where: { life.store.isIdle($0) })
        else { return }
        trace("session \(session) is deleted by its age")
        disk.bury(session)
    }
}

// MARK: - Rest

extension World {
    /// Nothing breaks any more: everything that was asked for must come about, and be the same
    /// everywhere; then everybody leaves, and nothing may be left of them.
    private func settle() {
        isCalm = true
        diskFailsUntil = 0
        trace("calm")
        advance(by: 6000)
        startDaemon()
        // So long that everybody has noticed which connections are dead.
        let noticed = now + 45_000
        wait("time goes on", seconds: 50) { now >= noticed }
        wait("everybody is served", seconds: 200) { devices.allSatisfy(\.isSettled) }
        wait("no connection is left but the devices'", seconds: 100) {
            life?.server.connectionCount == devices.count && devices.allSatisfy(\.isSettled)
        }
        wait("no stage is held by a connection that is lost", seconds: 100) {
            disk.sessions.allSatisfy(isStageHeld)
        }
        isSettled = true
        for device in devices {
            device.askState()
            device.askPresence()
        }
        wait("everybody is answered", seconds: 20) { devices.allSatisfy(\.isSettled) }
        // A revision that a timer made may still be on its way.
        wait("everybody is at the newest revision", seconds: 100) {
            devices.allSatisfy { $0.isSettled && $0.mirror?.revision == newest($0.session) }
        }
        checkStreams()
        for device in devices { device.goAway() }
        wait("nobody is connected", seconds: 100) { life?.server.connectionCount == 0 }
        wait("sessions without anybody are given back", seconds: 400) {
            life?.system.activeCount == 0 && life?.store.isAtRest == true
        }
        checkLeft()
        killDaemon()
        startDaemon()
        for session in disk.sessions {
            _ = disk.load(session)
        }
        killDaemon()
        demand(isClean, "the memory of a daemon that died is not free")
    }

    /// Whether the device that is shown as the connected stage knows of it.
    private func isStageHeld(_ session: SessionID) -> Bool {
        guard let shown = disk.present(session)?.state["stage"], shown["connected"]?.bool == true
        else { return true }
        return devices.contains { $0.name == shown["device"]?.string && $0.stage == .live }
    }

    private func newest(_ session: SessionID) -> UInt64? { disk.present(session)?.top }

    private func wait(_ what: String, seconds: Int64, until isSo: () -> Bool) {
        let limit = now + seconds * 1000
        while problem == nil, !isSo() {
            guard now < limit else {
                let troubles = devices.filter { !$0.isSettled }.map { "\($0.name): \($0.troubles)" }
                return fail(
                    "not within \(seconds) s: \(what); \(life?.server.connectionCount ?? -1) "
                        + "connections, \(life?.system.activeCount ?? -1) sessions; "
                        + troubles.joined(separator: "; "))
            }
            for device in devices where !device.hasGone {
                device.tend()
                if device.isConnected, device.following == .not { device.follow() }
                if device.following == .live, !device.unanswered.isEmpty { device.sendAgain() }
            }
            advance(by: 100)
        }
    }

    /// Each device holds the newest revision of its session and the same state.
    private func checkStreams() {
        for device in devices {
            guard let present = disk.present(device.session) else {
                fail("session \(device.session) is gone although it is followed")
                continue
            }
            demand(device.incarnation === present, "\(device.name) follows another epoch")
            demand(
                device.mirror?.revision == present.top,
                "\(device.name) is at \(device.mirror?.revision ?? 0) of \(present.top)")
            device.compare()
        }
    }

    /// Every timer of a session without anybody has run.
    private func checkLeft() {
        for session in disk.sessions {
            guard let state = disk.present(session)?.state else { continue }
            demand(
                disk.uncovered(session) == 0,
                "\(disk.uncovered(session)) commits of \(session) are in no snapshot")
            demand(state["stage"] == nil, "the stage of \(session) is not free")
            demand(state["toast"] == nil, "the toast of \(session) stays")
            demand(
                state["betslip"]?["status"]?.string != "placing",
                "the bet of \(session) is being placed for ever")
        }
    }
}
