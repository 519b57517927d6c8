import Glibc

/// Tells threads apart.
package enum ThreadIdentity {
    /// The calling thread's `pthread_t`; never 0.
    package static var current: UInt { pthread_self() }
}
