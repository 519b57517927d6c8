import Coordinator

/// Every place in a JSON document, for changing each of them in turn.
struct StoredPlaces {
    let document: JSON

    /// The paths of all values below the root; nothing is listed inside the places `closed`.
    func paths(closed: [[String]] = []) -> [[String]] {
        Self.paths(in: document, at: [], closed)
    }

    private static func paths(
        in json: JSON, at path: [String], _ closed: [[String]]
    ) -> [[String]] {
        let below: [[String]]
        switch json {
        case .object(let object):
            below = object.members.flatMap { paths(in: $0.value, at: path + [$0.key], closed) }
        case .array(let elements):
            below = elements.enumerated().flatMap {
                paths(in: $0.element, at: path + [String($0.offset)], closed)
            }
        case .null, .bool, .number, .string: below = []
        }
        return (path.isEmpty ? [] : [path]) + (closed.contains(path) ? [] : below)
    }

    /// The document with another value at `path`.
    func replacing(_ path: [String], with change: (JSON) -> JSON) -> JSON {
        Self.replacing(path[...], in: document, change)
    }

    private static func replacing(
        _ path: ArraySlice<String>, in json: JSON, _ change: (JSON) -> JSON
    ) -> JSON {
        guard let key = path.first else { return change(json) }
        switch json {
        case .object(var object):
            if let value = object[key] {
                object[key] = replacing(path.dropFirst(), in: value, change)
            }
            return .object(object)
        case .array(var elements):
            if let index = Int(key), elements.indices.contains(index) {
                elements[index] = replacing(path.dropFirst(), in: elements[index], change)
            }
            return .array(elements)
        case .null, .bool, .number, .string: return json
        }
    }

    /// The value at `path`.
    func value(at path: [String]) -> JSON? {
        path.reduce(document) { json, key in
            json?.array.flatMap { array in Int(key).map { array[$0] } } ?? json?[key]
        }
    }
}
