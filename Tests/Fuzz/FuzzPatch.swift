// The entry of a libFuzzer run over merge patches: two lines are two JSON texts. Built by
// Scripts/fuzz.sh together with the sources it is about.

/// Feeds one input: the patch between two values leads from one to the other, and back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPatch(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    guard lines.count == 2, let one = value(Array(lines[0])), let other = value(Array(lines[1]))
    else { return 0 }
    // Any patch can be applied to anything, and applying it again changes nothing more.
    let patched = MergePatch.apply(other, to: one)
    precondition(MergePatch.apply(other, to: patched) == patched, "a patch is no set")
    // A patch cannot carry null, so none is in what it is to lead to; what is no object is replaced.
    guard case .object = one.withoutNulls, case .object = other.withoutNulls else { return 0 }
    lead(from: one.withoutNulls, to: other.withoutNulls)
    lead(from: other.withoutNulls, to: one.withoutNulls)
    return 0
}

private func value(_ bytes: [UInt8]) -> JSON? {
    guard let document = try? JSONParser.parse(bytes.span), document.defects.isEmpty else {
        return nil
    }
    return document.root
}

private func lead(from old: JSON, to new: JSON) {
    guard let patch = MergePatch.diff(from: old, to: new) else {
        precondition(old == new, "there is no patch, and yet they differ")
        return
    }
    precondition(MergePatch.apply(patch, to: old) == new, "the patch leads elsewhere")
    // As a client gets it.
    let bytes = JSONWriter.bytes(of: patch)
    guard let read = try? JSONParser.parse(bytes.span) else {
        preconditionFailure("the patch cannot be read")
    }
    precondition(
        MergePatch.apply(read.root, to: old) == new, "the text of the patch leads elsewhere")
}

extension JSON {
    /// The value without null members, at any depth.
    fileprivate var withoutNulls: JSON {
        switch self {
        case .object(let object):
            .object(
                JSONObject(
                    object.members.filter { !$0.value.isNull }.map {
                        JSONObject.Member(key: $0.key, value: $0.value.withoutNulls)
                    }))
        case .array(let elements): .array(elements)
        case .null, .bool, .number, .string: self
        }
    }
}
