import Foundation
import Landmarks
import RowanRecords

// Initializers of public records: the one from `memberwise: true` is public.

func initializers() {
    _ = Landmark(title: "a", kind: .tower, first: 1, second: 2)
    _ = Landmark(
        id: 1, title: "a", kind: .tower, latitude: 1, longitude: 2, isOpen: false, floors: 2, remark: "b",
        created: Date(), first: 1, second: 2, label: "c", action: {})
    _ = Landmark(title: "a", kind: .tower, first: 1, second: 2, secret: 1)  // error: extra argument 'secret'
    _ = Pair(key: "a", value: 1)
    _ = Secret(title: "a")  // error: no exact matches in call to initializer
}
