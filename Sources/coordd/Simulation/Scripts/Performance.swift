/// One session's play: the scenes of a vendor's script, dealt from a deck that a seed shuffles.
///
/// Every scene is in the deck, so each one is played before the first comes for a second time too
/// often.
package struct Performance: Sendable {
    private let scenes: [Scene]
    private var improvisation: Improvisation
    private var deck: [Int] = []
    private var played: [Int: Int] = [:]

    /// A play that has not begun.
    package init(_ script: VendorScript, seed: UInt64, fixture: Int, name: String) {
        scenes = script.scenes
        improvisation = Improvisation(seed: seed, fixture: fixture, name: name)
    }

    /// The next scene's name and steps.
    package mutating func next() -> (scene: String, steps: [PhoneStep]) {
        while true {
            guard let number = deck.popLast() else {
                deal()
                continue
            }
            let scene = scenes[number]
            guard played[number, default: 0] < scene.most ?? .max else { continue }
            played[number, default: 0] += 1
            return (scene.name, scene.steps(&improvisation))
        }
    }

    private mutating func deal() {
        let cards = scenes.indices.flatMap { Array(repeating: $0, count: scenes[$0].weight) }
        deck = improvisation.order(below: cards.count).map { cards[$0] }
    }
}
