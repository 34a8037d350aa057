// Public records used by OtherModule.swift.

public import Foundation
public import RowanRecords

@Record("landmark", memberwise: true) public struct Landmark {
    public enum Kind: String, DatabaseValueConvertible, Sendable { case tower, bridge }

    public var id: Int64?
    public let title: String
    public var kind: Kind
    public var latitude = 0.0, longitude = -1.5
    public var isOpen = true, floors = 1, remark = "none"
    @Column(as: .unixTime) public var created: Date = Date(timeIntervalSince1970: 0)
    public var first: Int, second: Int
    @Column(generated: true) public var label: String?
    @Ignored public var action: @Sendable () -> Void = {}
    @Ignored private var cache: Int?
    private var secret = 1
    static let limit = 10
    var double: Int { floors * 2 }
}

@Record("pair", memberwise: true) public struct Pair<Value: DatabaseValueConvertible & SendableMetatype> {
    @PrimaryKey public var key: String
    public var value: Value
}

@Record("secret") public struct Secret {
    public var id: Int64?
    public var title: String
}

func inside() {
    _ = Landmark(title: "a", kind: .tower, first: 1, second: 2)
    _ = Secret(title: "a")
}
