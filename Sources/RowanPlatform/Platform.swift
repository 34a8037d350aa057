// What the library uses of Foundation and of the C library. With FoundationEssentials, programs don't link the tables of
// languages of the rest of Foundation, which are ten times the size of the library. What needs them belongs to the trait FullFoundation.

#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif

#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Android)
@_exported public import Android
#elseif canImport(Darwin)
@_exported public import Darwin
#endif
