// Works around requirements of the standard library that this API does not have.

/// A value as a `Sendable` one. The caller guarantees that no other task uses it in the meantime.
///
/// `Sendable` is a marker: both existentials have the same layout. `as Any` keeps Swift from opening the value.
package func assumeSendable(_ value: Any) -> any Sendable { unsafeBitCast(value as Any, to: (any Sendable).self) }
