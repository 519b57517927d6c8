/// How the phone is held.
package enum DeviceOrientation: String, Sendable {
    case unknown, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
}

/// How the screen is drawn.
package enum InterfaceOrientation: String, Sendable {
    case portrait, portraitUpsideDown, landscapeLeft, landscapeRight
}

/// How the phone is held and its screen drawn (contract: domain, section 2, `orientation`).
package struct OrientationState: Sendable, Equatable {
    /// Who turned the screen last.
    package enum Source: String, Sendable {
        case none, programmatic, accelerometer
    }

    /// Where the sensor housing is.
    package enum Notch: String, Sendable {
        case none, left, right, top
    }

    /// Width and height in points.
    package struct Size: Sendable, Equatable {
        package var width: Double
        package var height: Double

        var json: JSON { ["width": .length(width), "height": .length(height)] }
    }

    /// Distances from the screen's edges in points.
    package struct Insets: Sendable, Equatable {
        package var top: Double
        package var left: Double
        package var bottom: Double
        package var right: Double

        var json: JSON {
            [
                "top": .length(top), "left": .length(left), "bottom": .length(bottom),
                "right": .length(right),
            ]
        }
    }

    /// How the phone is held.
    package var device = DeviceOrientation.unknown
    /// How the screen is drawn; nil until reported.
    package var interface: InterfaceOrientation?
    /// Who turned the screen last.
    package var source = Source.none
    /// The interface orientation that was asked for and is not confirmed yet.
    package var requested: InterfaceOrientation?
    /// Whether the sensor may change full screen now.
    package var armed = true
    /// Where the sensor housing is.
    package var notch = Notch.none
    /// The screen's size; nil until reported.
    package var screen: Size?
    /// The safe area; nil until reported.
    package var safeArea: Insets?

    var json: JSON {
        var object = JSONObject()
        object.append("device", .string(device.rawValue))
        object.append("interface", ifPresent: interface.map { .string($0.rawValue) })
        object.append("source", .string(source.rawValue))
        object.append("requested", ifPresent: requested.map { .string($0.rawValue) })
        object.append("armed", .bool(armed))
        object.append("notch", .string(notch.rawValue))
        object.append("screen", ifPresent: screen?.json)
        object.append("safeArea", ifPresent: safeArea?.json)
        return .object(object)
    }
}
