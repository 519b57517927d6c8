package import Distributed

/// Why a distributed call did not reach an actor.
package enum LocalSystemError: DistributedActorSystemError {
    /// No session of this name is active in this process.
    case notHere(String)
    /// The system has no remote half, so nothing can be called in another process.
    case noRemoteHalf(String)
}

/// The encoding of a distributed call in a system that has no remote half: every use is an error.
package struct LocalInvocation: DistributedTargetInvocationEncoder,
    DistributedTargetInvocationDecoder, DistributedTargetInvocationResultHandler
{
    /// What a value would have to conform to in order to travel.
    package typealias SerializationRequirement = any Codable

    package mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
        throw LocalSystemError.noRemoteHalf("generic substitution")
    }

    package mutating func recordArgument<Value: Codable>(
        _ argument: RemoteCallArgument<Value>
    ) throws {
        throw LocalSystemError.noRemoteHalf("argument")
    }

    package mutating func recordReturnType<R: Codable>(_ type: R.Type) throws {
        throw LocalSystemError.noRemoteHalf("return type")
    }

    package mutating func recordErrorType<E: Error>(_ type: E.Type) throws {
        throw LocalSystemError.noRemoteHalf("error type")
    }

    package mutating func doneRecording() throws {
        throw LocalSystemError.noRemoteHalf("call")
    }

    package mutating func decodeGenericSubstitutions() throws -> [any Any.Type] {
        throw LocalSystemError.noRemoteHalf("generic substitutions")
    }

    package mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
        throw LocalSystemError.noRemoteHalf("argument")
    }

    package mutating func decodeErrorType() throws -> (any Any.Type)? {
        throw LocalSystemError.noRemoteHalf("error type")
    }

    package mutating func decodeReturnType() throws -> (any Any.Type)? {
        throw LocalSystemError.noRemoteHalf("return type")
    }

    package func onReturn<Success: Codable>(value: Success) async throws {
        throw LocalSystemError.noRemoteHalf("return")
    }

    package func onReturnVoid() async throws {
        throw LocalSystemError.noRemoteHalf("return")
    }

    package func onThrow<Err: Error>(error: Err) async throws {
        throw LocalSystemError.noRemoteHalf("throw")
    }
}
