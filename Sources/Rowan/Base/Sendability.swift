// What an API of the standard types asks for, and ours does not.

/// A value as a Sendable one. Who passes it on makes sure that no other task uses it meanwhile.
///
/// `Sendable` is a marker: both existentials have the same layout. `as Any` keeps Swift from opening the value.
package func assumeSendable(_ value: Any) -> any Sendable { unsafeBitCast(value as Any, to: (any Sendable).self) }
