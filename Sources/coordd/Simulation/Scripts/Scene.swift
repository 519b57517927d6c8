/// A few steps that belong together, such as a rotation storm, with a name for the summary.
package struct Scene: Sendable {
    /// What it shows, for people.
    package var name: String
    /// How often it is in the deck that a script is dealt from.
    package var weight: Int
    /// How often it may be played at most; nil for no limit.
    package var most: Int?
    /// The steps, made up anew each time.
    package var steps: @Sendable (inout Improvisation) -> [PhoneStep]

    /// A scene.
    package init(
        _ name: String, weight: Int = 1, most: Int? = nil,
        steps: @escaping @Sendable (inout Improvisation) -> [PhoneStep]
    ) {
        self.name = name
        self.weight = weight
        self.most = most
        self.steps = steps
    }
}
