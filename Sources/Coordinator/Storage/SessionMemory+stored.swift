extension DeviceFact.Lifecycle: Storable {}

extension SessionMemory {
    /// The memory as it is stored; members that are as in a new session are absent.
    package func document(_ vault: Vault) -> JSON {
        .object(patch(from: SessionMemory(), vault))
    }

    /// The merge patch from the document of `old` to that of this memory; empty when nothing differs.
    ///
    /// Only what differs is turned into JSON and sealed: most events change little or nothing here.
    package func patch(from old: SessionMemory, _ vault: Vault) -> JSONObject {
        var patch = JSONObject()
        func set<Member: Equatable>(
            _ key: String, _ new: Member, _ old: Member, _ json: (Member) -> JSON?
        ) {
            // What is as in a new session has no JSON, so the old one had some.
            if new != old { patch.append(key, json(new) ?? .null) }
        }
        set("options", options, old.options) { $0.change(from: old.options, vault) }
        set("content", content, old.content) { $0?.reveal { vault.seal($0) } }
        set("pageDigest", pageDigest, old.pageDigest) { $0.map { vault.seal($0) } }
        set("followed", followed, old.followed) { $0?.reveal { vault.seal(Array($0.utf8)) } }
        set("pageDeaths", pageDeaths, old.pageDeaths) { deaths in
            deaths.isEmpty ? nil : .array(deaths.map { .integer($0.milliseconds) })
        }
        set("remembersClose", remembersClose, old.remembersClose) { $0 ? true : nil }
        set("lifecycle", lifecycle, old.lifecycle) { $0.map { .string($0.rawValue) } }
        set("lastLandscape", lastLandscape, old.lastLandscape) { $0.map { .string($0.rawValue) } }
        set("sawOrientation", sawOrientation, old.sawOrientation) { $0 ? true : nil }
        set("orientationRequest", orientationRequest, old.orientationRequest) {
            $0?.change(from: old.orientationRequest)
        }
        set("pip", pip, old.pip) { $0.change(from: old.pip) }
        set("stageDevice", stageDevice, old.stageDevice) { $0.map { .string($0) } }
        set("isStageTaken", isStageTaken, old.isStageTaken) { $0 ? true : nil }
        set("stageGraceEnds", stageGraceEnds, old.stageGraceEnds) { instant in
            instant.map { .integer($0.milliseconds) }
        }
        set("placements", placements, old.placements) { placements in
            PlacementRecord.change(to: placements, from: old.placements)
        }
        set("outbox", outbox, old.outbox) { $0.change(from: old.outbox, vault) }
        return patch
    }

    /// Reads a stored memory.
    ///
    /// - Throws: ``StorageFault`` for a member that is missing, mistyped, unknown or there twice, and
    ///   for a sealed text that does not open.
    package init(stored json: JSON, _ vault: Vault) throws(StorageFault) {
        self.init()
        var fields = try StoredFields(json)
        options =
            try fields.optional("options") { (json) throws(StorageFault) in
                try LoadOptions(stored: json, vault)
            } ?? options
        content = try fields.optional("content") { (json) throws(StorageFault) in
            Secret(try vault.openObject(json))
        }
        pageDigest = try fields.optional("pageDigest") { (json) throws(StorageFault) in
            try vault.open(json)
        }
        followed = try fields.optional("followed") { (json) throws(StorageFault) in
            Secret(String(decoding: try vault.open(json), as: UTF8.self))
        }
        pageDeaths = try fields.optional("pageDeaths") ?? pageDeaths
        remembersClose = try fields.optional("remembersClose") ?? remembersClose
        lifecycle = try fields.optional("lifecycle")
        lastLandscape = try fields.optional("lastLandscape")
        sawOrientation = try fields.optional("sawOrientation") ?? sawOrientation
        orientationRequest = try fields.optional("orientationRequest")
        pip = try fields.optional("pip") ?? pip
        stageDevice = try fields.optional("stageDevice")
        isStageTaken = try fields.optional("isStageTaken") ?? isStageTaken
        stageGraceEnds = try fields.optional("stageGraceEnds")
        placements =
            try fields.optional("placements", PlacementRecord.list(stored:)) ?? placements
        outbox =
            try fields.optional("outbox") { (json) throws(StorageFault) in
                try Outbox(stored: json, vault)
            } ?? outbox
        try fields.end()
    }
}

extension LoadOptions {
    private func stored(_ vault: Vault) -> JSON {
        var object = JSONObject()
        object.append("autoRotate", ifPresent: autoRotate.map { .bool($0) })
        object.append("closeOnPipClose", ifPresent: closeOnPipClose.map { .bool($0) })
        if !others.isEmpty { object.append("others", vault.seal(others)) }
        return .object(object)
    }

    /// The merge patch from the stored form of `old`; nil when nothing is set here any more.
    fileprivate func change(from old: LoadOptions, _ vault: Vault) -> JSON? {
        self == LoadOptions()
            ? nil : MergePatch.diff(from: old.stored(vault), to: stored(vault))
    }

    fileprivate init(stored json: JSON, _ vault: Vault) throws(StorageFault) {
        self.init()
        var fields = try StoredFields(json)
        autoRotate = try fields.optional("autoRotate")
        closeOnPipClose = try fields.optional("closeOnPipClose")
        others = try fields.optional("others", vault.openObject) ?? others
        try fields.end()
    }
}
