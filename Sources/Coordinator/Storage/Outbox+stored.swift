extension Outbox {
    /// The merge patch from the stored form of `old`; nil when nothing was ever asked for here.
    ///
    /// The stored form is `{"last": seq, "effects": {"<seq>": {…}}}`; a patch holds only effects that
    /// were added or taken out.
    func change(from old: Outbox, _ vault: Vault) -> JSON? {
        guard self != Outbox() else { return nil }
        var patch = JSONObject()
        if lastSeq != old.lastSeq { patch.append("last", .integer(lastSeq)) }
        if effects != old.effects {
            patch.append("effects", effectsChange(from: old.effects, vault) ?? .null)
        }
        return .object(patch)
    }

    private func effectsChange(from old: [Effect], _ vault: Vault) -> JSON? {
        guard !effects.isEmpty else { return nil }
        var patch = JSONObject()
        // Both are in order of their numbers.
        var rest = old[...]
        for effect in effects {
            while let first = rest.first, first.seq < effect.seq {
                patch.append(String(first.seq), .null)
                rest.removeFirst()
            }
            if let first = rest.first, first.seq == effect.seq {
                rest.removeFirst()
                guard first != effect else { continue }
                let change = MergePatch.diff(from: first.stored(vault), to: effect.stored(vault))
                patch.append(String(effect.seq), ifPresent: change)
            } else {
                patch.append(String(effect.seq), effect.stored(vault))
            }
        }
        for effect in rest { patch.append(String(effect.seq), .null) }
        return .object(patch)
    }

    /// Reads a stored outbox.
    init(stored json: JSON, _ vault: Vault) throws(StorageFault) {
        var fields = try StoredFields(json)
        let last: UInt64 = try fields.required("last")
        let effects = try fields.optional("effects") { (json) throws(StorageFault) in
            try Self.effects(stored: json, last: last, vault)
        }
        try fields.end()
        self.init(effects: effects ?? [], lastSeq: last)
    }

    private static func effects(
        stored json: JSON, last: UInt64, _ vault: Vault
    ) throws(StorageFault) -> [Effect] {
        guard let object = json.object else { throw .expected("an object", not: json) }
        var effects: [Effect] = []
        for member in object.members {
            guard let seq = UInt64(member.key), String(seq).hasSameBytes(as: member.key),
                seq <= last
            else { throw StorageFault("no number of an effect", at: [member.key]) }
            do throws(StorageFault) {
                effects.append(try Effect(seq: seq, stored: member.value, vault))
            } catch {
                throw error.within(member.key)
            }
        }
        effects.sort { $0.seq < $1.seq }
        for (effect, next) in zip(effects, effects.dropFirst()) where effect.seq == next.seq {
            throw StorageFault("there twice", at: [String(effect.seq)])
        }
        return effects
    }
}

extension Effect {
    /// The effect as it is stored under its number.
    fileprivate func stored(_ vault: Vault) -> JSON {
        var object = JSONObject()
        object.append("rev", .integer(rev))
        order.store(in: &object, vault)
        return .object(object)
    }

    fileprivate init(seq: UInt64, stored json: JSON, _ vault: Vault) throws(StorageFault) {
        var fields = try StoredFields(json)
        let rev: UInt64 = try fields.required("rev")
        let order = try EffectOrder(in: &fields, vault)
        try fields.end()
        self.init(seq: seq, rev: rev, order: order)
    }
}
