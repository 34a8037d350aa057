// The names of tenants, and of their files.

/// A tenant. Two tenants are the same if their names have the same bytes.
///
/// The names of files have no characters that mean something in a URI: Litestream 0.5.17 opens databases by URIs, and
/// would replicate another file.
struct TenantName: Hashable, Sendable {
    /// The name of the file, without its extension: lowercase ASCII letters, digits, `-` and `_` as they are, and
    /// `=E4` for any other byte. So no name leaves the folder, hides a file, or differs from another one only for
    /// some file systems.
    let fileName: String

    private static let longest = 200

    init(_ tenant: String) throws {
        if !tenant.isEmpty, tenant.utf8.count <= Self.longest, tenant.utf8.allSatisfy(Self.isPlain) {
            fileName = tenant
            return
        }
        var bytes: [UInt8] = []
        for byte in tenant.utf8 {
            guard bytes.count <= Self.longest else { break }
            if Self.isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "="), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
            }
        }
        guard !bytes.isEmpty else { throw DatabaseDirectoryError(.name, "the name of a tenant is empty") }
        guard bytes.count <= Self.longest else {
            throw DatabaseDirectoryError(
                .name,
                "the name \"\(tenant.prefix(20))…\" of a tenant is too long: \(Self.longest) bytes are allowed, and all "
                    + "but lowercase letters, digits, - and _ count three times")
        }
        fileName = String(decoding: bytes, as: UTF8.self)
    }

    /// Nil if the name of a file is not that of a tenant.
    init?(fileName: String) {
        guard let tenant = Self.decoded(fileName), let name = try? TenantName(tenant), name.fileName == fileName else {
            return nil
        }
        self = name
    }

    /// The tenant.
    var tenant: String { Self.decoded(fileName) ?? fileName }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func decoded(_ fileName: String) -> String? {
        var bytes: [UInt8] = []
        var rest = fileName.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digits.firstIndex),
                let low = rest.popFirst().flatMap(digits.firstIndex)
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
