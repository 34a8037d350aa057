import Foundation
import Rowan

/// Columns with typed values.
func typed(name: String, minimum: Int, maximum: Int, ids: [Int64], day: Date) {
    _ = Book.filter { $0.price > 10 }
    _ = Book.filter { $0.price > 10 && $0.price < 20.5 }
    _ = Book.filter { $0.title == name }
    _ = Book.filter { $0.title == name || $0.title == "Emma" }
    _ = Book.filter { $0.pages == nil }
    _ = Book.filter { $0.pages != nil && $0.isbn != nil }
    _ = Book.filter { $0.pages > 100 }
    _ = Book.filter { $0.pages > minimum && $0.price <= 10.5 && $0.isAvailable }
    _ = Book.filter { $0.isAvailable == true }
    _ = Book.filter { $0.isAvailable == false || $0.price == 0 }
    _ = Book.filter { $0.isAvailable == true && $0.title != name }
    _ = Book.filter { $0.published > day }
    _ = Book.filter { $0.published > day && $0.published < day.addingTimeInterval(60) }
    _ = Book.filter { ($0.pages ?? 0) > 100 }
    _ = Book.filter { ($0.pages ?? 0) > minimum && ($0.isbn ?? "none") == name }
    _ = Book.filter { [1, 2, 3].contains($0.id) }
    _ = Book.filter { ["a", "b"].contains($0.title) && $0.price > 1 }
    _ = Book.filter { (10...20).contains($0.price) }
    _ = Book.filter { (1..<5).contains($0.id) || $0.id == 10 }
    _ = Book.filter { $0.price * 2 + 1 > 3 && $0.discount * 2 + 1 > 3 && $0.isAvailable }
    _ = Book.filter { $0.price * 2 + 1 > 3 && $0.discount * 2 + 1 > 3 && $0.price - 3 < 4 && $0.isAvailable }
    _ = Book.filter { $0.price + $0.price + $0.price + $0.discount + $0.discount > 10 && !$0.isSold }
    _ = Book.filter { $0.price * 2 + $0.price - $0.discount / 3 + $0.discount + 1 > 10 && !$0.isSold && $0.isAvailable }
    _ = Book.filter { $0.pages * 2 + 1 > 3 && $0.price * 2 + 1 > 3 && $0.isSold }
    _ = Book.filter { $0.isAvailable && $0.price * 2 + 1 > 3 || $0.title == "a" && !$0.isSold }
    _ = Book.filter { abs($0.price) + 1 > 3 && length($0.title) * 2 > 3 && $0.isAvailable }
    _ = Book.filter { $0.price.untyped * 2 + 1 > 3 && $0.discount * 2 + 1 > 3 && $0.isAvailable }
    _ = Book.filter { $0.pages % 2 == 0 && $0.isAvailable || $0.isSold }
    _ = Book.all().group(\.title).having { max($0.price) > 3 && min($0.price) < 9 && $0.isAvailable }
    _ = Book.filter { $0.price.untyped * 2 > 10 }
    _ = Book.filter { $0.price.untyped * 2 + 1 > 10 && $0.price.untyped - 1 < 3 }
    _ = Book.filter { $0.title.untyped.like("A%") }
    _ = Book.filter { length($0.title.untyped) > 3 }
    _ = Book.filter { $0.price > 1 && $0.price > 2 && $0.price > 3 && $0.price > 4 && $0.price > 5 && $0.price > 6 }
    _ = Book.filter { ($0.price > 1 && $0.pages > 1) || ($0.price > 2 && $0.pages > 2) || $0.title == "x" }
    _ = Book.select(\.title, as: String.self)
    _ = Book.select({ max($0.price) }, as: Double.self)
    _ = Book.select({ [$0.title, $0.price.forKey("cost")] })
    _ = Book.select({ [min($0.price).forKey("min"), max($0.price).forKey("max"), average($0.price).forKey("mean")] })
    _ = Book.select({ count($0.isbn) }, as: Int.self)
    _ = Book.select({ count(distinct: $0.title) }, as: Int.self)
    _ = Book.select({ sum($0.price) }, as: Double.self)
    _ = Book.order(\.price.desc)
    _ = Book.order { [$0.price.desc, $0.title] }
    _ = Book.order { [$0.published.descNullsFirst, $0.title.asc, $0.id] }.limit(10)
    _ = Book.filter { $0.price > 10 && $0.title == name }.order(\.price.desc).limit(10)
    _ = Book.filter { $0.price == $0.price }
    _ = Book.filter { $0.title != $0.isbn }
    _ = Book.filter { $0.id == 1 }.select(\.price, as: Double.self)
    _ = Book.annotated(with: { [($0.price.untyped * 2).forKey("double")] })
    _ = Book.select({ [$0.title, count(.allColumns).forKey("n")] }).group(\.title).having { max($0.price) > 10 }
    _ = Book.filter(key: 1).filter { $0.isAvailable == true }
    _ = Book.filter { $0.published == nil && $0.pages == nil && $0.isbn == nil }
    _ = Book.filter { $0.published != nil || $0.pages > 10 || $0.isbn == name }
    _ = Book.order { [($0.pages ?? 0).desc, $0.title] }
    _ = Book.filter { $0.isAvailable }
    _ = Book.filter { !$0.isAvailable }
    _ = Book.filter { $0.isAvailable || $0.price > 10 }
    _ = Book.filter { $0.price * 2 > 10 }
    _ = Book.filter { $0.price * 2 + 1 > 10 && $0.price - 1 < 3 }
    _ = Book.filter { $0.price * 1.1 + $0.price / 3 - 1 > -$0.price && $0.title == name }
    _ = Book.annotated(with: { [($0.price * 2).forKey("double")] })
    _ = Book.order { [($0.price * 2 - 1).desc, $0.title] }
    _ = Book.select({ sum($0.price * 2) }, as: Double.self)
    _ = Book.filter { $0.isAvailable && $0.isAvailable || !$0.isAvailable }
    _ = Book.filter { length($0.title) > 3 && $0.title.hasPrefix("A") || $0.title.contains(name) }
    _ = Book.filter { abs($0.price - 10) < 1 && $0.isbn.hasSuffix("X") && length($0.isbn) > 3 }
    _ = Book.filter { round($0.price * 1.2, digits: 2) == 12 }
}
