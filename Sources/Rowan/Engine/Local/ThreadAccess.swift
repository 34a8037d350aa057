// Access belongs to a thread: its identity, and the errors for other threads.

import RowanPlatform

/// The identity of the current thread.
package var currentThreadID: UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
}

extension DatabaseError {
    package static var connectionIsClosed: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "connection is closed")
    }

    @usableFromInline package static var outsideOfAccess: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a Database, its statements and its cursors can't be used outside the access that provides them")
    }
}
