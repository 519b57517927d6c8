/// Picture-in-picture (contract: domain, section 4.3), as far as vendors without it need it.
extension Transition {
    mutating func pictureInPicture(_ command: PictureInPictureCommand) throws(Rejection) {
        switch command {
        case .button(let visible): state.pip.button = visible
        case .start, .toggle:
            throw .conflict("pip.unsupported", "the vendor's web view has no picture-in-picture")
        case .stop:
            // Nothing is active, so there is nothing to change.
            break
        }
    }
}
