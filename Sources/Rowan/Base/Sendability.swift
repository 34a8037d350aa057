// Works around requirements of the standard library that our API does not have.

/// A value as a Sendable one. The caller guarantees that no other task uses it in the meantime.
///
/// `Sendable` is a marker: both existentials have the same layout.
package func assumeSendable(_ value: Any) -> any Sendable { unsafeBitCast(value, to: (any Sendable).self) }
