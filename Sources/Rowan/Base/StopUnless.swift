// Reports programming errors in methods that can't throw.

/// Stops the program with a message unless the condition holds. In optimized builds, `precondition` would print no
/// message.
package func stopUnless(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
