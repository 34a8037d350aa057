// Written by rowan generate for the table categories: do not edit.
// swift-format-ignore-file

public import RowanRecords

@Record("categories", memberwise: true) public struct Category: Equatable {
    @PrimaryKey public var name: String
    public var parent: String?
}

extension Category {
    public static let category = belongsTo(Category.self, key: "category", using: ForeignKey(["parent"], to: ["name"]))
    public static let categories = hasMany(Category.self, key: "categories", using: ForeignKey(["parent"], to: ["name"]))
}
