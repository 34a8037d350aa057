// The UTF-8 bytes of texts.

extension String {
    /// Calls the closure with the UTF-8 bytes of the text.
    // The only use of `withUTF8`: in debug, each file that calls it gets a copy of 5 kB of the standard library's code.
    @inlinable
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        var text = self
        return try text.withUTF8(body)
    }
}
