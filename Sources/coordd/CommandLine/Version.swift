/// The version of coordd.
package enum Version {
    /// Numbered as semver.org says.
    package static let text = "0.1.0"
}
