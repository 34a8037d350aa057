// Written by rowan generate for the table UPPER_CASE_TABLES: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("UPPER_CASE_TABLES", memberwise: true) public struct UPPERCASETABLE: Equatable {
    @Column("ID") public var id: Int64?
    @Column("URL_PATH") public var urlPATH: String?
    @Column("HTTPStatus") public var hTTPStatus: Int?
    @Column("mixedCASE_name") public var mixedCASEName: String?
}
