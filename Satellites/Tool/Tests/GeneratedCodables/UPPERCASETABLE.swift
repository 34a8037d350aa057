// Written by rowan generate for the table UPPER_CASE_TABLES: do not edit.
// swift-format-ignore-file

public import Rowan

public struct UPPERCASETABLE: Codable, Equatable, FetchableRecord, TableRecord, MutablePersistableRecord {
    public var id: Int64?
    public var urlPATH: String?
    public var hTTPStatus: Int?
    public var mixedCASEName: String?

    public static let databaseTableName = "UPPER_CASE_TABLES"

    public enum CodingKeys: String, CodingKey {
        case id = "ID"
        case urlPATH = "URL_PATH"
        case hTTPStatus = "HTTPStatus"
        case mixedCASEName = "mixedCASE_name"
    }

    public enum Columns {
        public static let id = Column("ID")
        public static let urlPATH = Column("URL_PATH")
        public static let hTTPStatus = Column("HTTPStatus")
        public static let mixedCASEName = Column("mixedCASE_name")
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
