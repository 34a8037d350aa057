// Written by rowan generate for the table types: do not edit.
// swift-format-ignore-file

public import Foundation
public import RowanRecords

@Record("types", memberwise: true) public struct TypeRecord: Equatable {
    public var id: Int64?
    public var a: String
    public var b: Double?
    public var c: Int?
    public var d: String?
    public var e: Double?
    public var f: Date?
    public var g: Int?
    public var h: String?
    public var i: Double?
    public var j: Bool?
    public var k: String?
}
