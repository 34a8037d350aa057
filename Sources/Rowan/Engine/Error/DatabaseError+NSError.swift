// Errors of databases as NSError.

#if FullFoundation
public import Foundation

extension DatabaseError: CustomNSError {
    /// The domain of the error when it is bridged to `NSError`.
    public static var errorDomain: String { "Rowan.DatabaseError" }
    /// The extended code of the error when it is bridged to `NSError`.
    public var errorCode: Int { Int(extendedResultCode.rawValue) }
    /// The description and the message of the error when it is bridged to `NSError`.
    public var errorUserInfo: [String: Any] {
        var userInfo = [NSLocalizedDescriptionKey: description]
        userInfo[NSLocalizedFailureReasonErrorKey] = failureReason
        userInfo[NSLocalizedRecoverySuggestionErrorKey] = hint
        return userInfo
    }
}
#endif
