/// JSON as it may stand in a script, whether in a page or evaluated.
package enum ScriptText {
    /// An expression for the value; `<`, U+2028 and U+2029 are escaped, so no `</script>` ends the
    /// element and no line end breaks a literal.
    package static func json(_ value: JSON) -> String {
        switch value {
        case .null, .bool, .number, .string: escaped(value)
        case .array(let elements): "[\(elements.map(json).joined(separator: ","))]"
        case .object(let object):
            "{\(object.members.map { name($0.key) + ":" + json($0.value) }.joined(separator: ","))}"
        }
    }

    /// A member's name; unlike in JSON, a plain `__proto__` in a script makes no member of that name
    /// (ECMAScript, annex B.3.1), a computed one does.
    private static func name(_ key: String) -> String {
        let name = escaped(.string(key))
        return key == "__proto__" ? "[\(name)]" : name
    }

    private static func escaped(_ value: JSON) -> String {
        var text = ""
        for scalar in JSONWriter.text(of: value).unicodeScalars {
            switch scalar {
            case "<": text += "\\u003c"
            case "\u{2028}": text += "\\u2028"
            case "\u{2029}": text += "\\u2029"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
