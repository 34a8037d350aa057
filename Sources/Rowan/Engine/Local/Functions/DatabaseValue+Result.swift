// Results of functions and virtual tables.

import RowanPlatform
import RowanSQLite

extension DatabaseValue {
    /// Sets the value as the result of a call.
    func setResult(of context: OpaquePointer) {
        // SQLite copies the bytes and treats a null pointer as NULL.
        switch storage {
        case .null: sqlite3_result_null(context)
        case .int64(let integer): sqlite3_result_int64(context, integer)
        case .double(let double):
            if let error = bindingRefusal.flatMap({ DatabaseError.unstorable($0, "the result") }) {
                return fail(context, error)
            }
            sqlite3_result_double(context, double)
        case .string(let string):
            string.withBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    rowan_result_text(context, $0.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64($0.count))
                }
            }
        case .blob(let data):
            data.withUnsafeBytes {
                rowan_result_blob(context, $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1), UInt64($0.count))
            }
        }
    }
}
