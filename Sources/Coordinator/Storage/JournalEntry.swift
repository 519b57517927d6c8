/// One commit of a session as a store keeps it: JSON texts, each absent when it has nothing to say.
package struct JournalEntry: Sendable, Equatable {
    /// The revision after the commit.
    package var revision: UInt64
    /// The publication's `data`, whose `patch` leads to the state of the revision.
    package var publication: [UInt8]?
    /// The merge patch of the stored memory.
    package var memory: [UInt8]?
    /// Device, idempotency id and first answer, as an array.
    package var answer: [UInt8]?

    /// An entry made of texts that were read.
    package init(
        revision: UInt64, publication: [UInt8]?, memory: [UInt8]?, answer: [UInt8]?
    ) {
        self.revision = revision
        self.publication = publication
        self.memory = memory
        self.answer = answer
    }

    /// The entry of an update; secrets are sealed by `vault`.
    package init(_ update: Commit.Update, _ vault: @autoclosure () -> Vault) {
        revision = update.revision
        publication = update.publication?.data
        memory =
            switch update.memory {
            case .unchanged: nil
            case .changed(let before, let after):
                JSONWriter.bytes(of: .object(after.patch(from: before, vault())))
            }
        answer = update.answer.map { answer in
            JSONWriter.bytes(
                of: [
                    .string(answer.key.device), .string(answer.key.id), .object(answer.answer),
                ])
        }
    }
}
