// Mistakes of the programmer, in methods that can't throw.

/// Stops the program with a message unless the condition holds. An optimised `precondition` stops it without a word.
package func stopUnless(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
