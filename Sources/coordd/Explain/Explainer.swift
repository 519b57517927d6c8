package import Coordinator

/// Names the rule behind each changed part of a revision, by the rows of ``ExplanationTable``.
package enum Explainer {
    /// The explanations of a publication's data, one for each rule, in the order of the patch.
    package static func explanations(of publication: JSON) -> [Explanation] {
        explanations(of: ExplainedFacts(publication: publication))
    }

    /// The explanations of a revision or signal, one for each rule.
    package static func explanations(of facts: ExplainedFacts) -> [Explanation] {
        var found: [Explanation] = []
        let changed = changedPaths(in: facts.patch)
        for path in changed.isEmpty ? [""] : changed {
            let row = row(for: path, of: facts)
            let words = row.map { facts.filled($0.words, at: path) } ?? "\(path) changed"
            let rule = row?.rule ?? "state"
            let paths = path.isEmpty ? [] : [path]
            if let index = found.firstIndex(where: { $0.rule == rule }) {
                found[index].paths += paths
                if !found[index].words.contains(words) { found[index].words.append(words) }
            } else {
                found.append(Explanation(rule: rule, words: [words], paths: paths))
            }
        }
        return found
    }

    /// The first row that tells of a part of a revision; nil only for parts that are not in the table.
    package static func row(for path: String, of facts: ExplainedFacts) -> ExplanationRow? {
        ExplanationTable.rows[path]?.first { $0.matches(path, of: facts) }
    }

    /// The parts of the state that a patch changes, as the contract lists them (section 2).
    package static func changedPaths(in patch: JSON?) -> [String] {
        (patch?.object?.members ?? []).flatMap { member -> [String] in
            guard !ExplanationTable.wholeSections.contains(member.key),
                let parts = member.value.object
            else { return [member.key] }
            return parts.members.map { "\(member.key).\($0.key)" }
        }
    }
}
