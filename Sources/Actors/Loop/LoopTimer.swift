/// A timer that was set on an event loop and that can be taken back.
///
/// Dropping the last reference cancels it as well, on whatever thread that happens.
package protocol LoopTimer: AnyObject {
    /// Takes the timer back: its action will not run and is released.
    ///
    /// Does nothing when the timer has run or was cancelled before. Only on the loop's thread.
    func cancel()
}
