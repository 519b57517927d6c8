/// JSON as it may stand in a script, whether in a page or evaluated.
package enum ScriptText {
    /// The value's text; `<`, U+2028 and U+2029 are escaped, so no `</script>` ends the element and
    /// no line end breaks a literal.
    package static func json(_ value: JSON) -> String {
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
