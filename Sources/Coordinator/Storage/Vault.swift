package import Security

/// Seals the secrets in stored documents of one session (contract: domain, section 4.6).
package struct Vault: Sendable {
    /// The key of the daemon.
    let key: SealingKey
    /// The session's id: what is sealed for one session opens for no other.
    let context: String

    /// What a sealed text that opens to something else is called; nothing of it is told.
    private static let fault = StorageFault("the sealed text holds something else")

    /// Levels of the sealed JSON: an event's, and room for what an order puts around.
    private static let maximumDepth = JSONParser.maximumDepth + 8

    /// A vault with one key for the session `context`.
    package init(key: SealingKey, context: String) {
        self.key = key
        self.context = context
    }

    /// Bytes as a sealed text: base64, another one each time.
    func seal(_ plain: [UInt8]) -> JSON {
        .string(Base64.text(of: key.seal(plain, context: Array(context.utf8))))
    }

    /// An object as a sealed text.
    func seal(_ object: JSONObject) -> JSON {
        seal(JSONWriter.bytes(of: .object(object)))
    }

    /// The bytes of a sealed text.
    func open(_ json: JSON) throws(StorageFault) -> [UInt8] {
        guard let text = json.string else { throw .expected("a sealed text", not: json) }
        guard let sealed = Base64.bytes(of: text) else {
            throw StorageFault("a sealed text is expected, not another text")
        }
        do throws(SealingFault) {
            return try key.open(sealed, context: Array(context.utf8))
        } catch {
            throw StorageFault("the sealed text does not open: \(error)")
        }
    }

    /// The object of a sealed text.
    func openObject(_ json: JSON) throws(StorageFault) -> JSONObject {
        let bytes = try open(json)
        guard
            let document = try? JSONParser.parse(bytes.span, maximumDepth: Self.maximumDepth),
            document.defects.isEmpty, let object = document.root.object
        else { throw Self.fault }
        return object
    }

    /// The value whose stored form a sealed text holds.
    func open<Value: Storable>(
        _ json: JSON, as type: Value.Type
    ) throws(StorageFault) -> Value {
        let object = try openObject(json)
        do throws(StorageFault) {
            return try Value(stored: .object(object))
        } catch {
            throw Self.fault
        }
    }
}
