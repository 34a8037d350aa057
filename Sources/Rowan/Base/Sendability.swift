// What an API of the standard types asks for, and ours does not.

/// A value as a Sendable one. Who passes it on makes sure that no other task uses it meanwhile.
///
/// `Sendable` is a marker: both existentials have the same layout.
package func assumeSendable(_ value: Any) -> any Sendable { unsafeBitCast(value, to: (any Sendable).self) }
