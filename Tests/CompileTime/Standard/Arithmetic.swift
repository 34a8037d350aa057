import Foundation

func arithmetic(
    _ a: Int, _ b: Int, _ x: Double, _ y: Double, _ f: Float, _ wide: Int64, _ byte: UInt8, _ word: UInt32,
    _ maybe: Int?,
    _ part: Double?, _ money: Decimal, _ date: Date, _ item: Item, _ flags: Flags, _ big: UInt64
) {
    _ = a + b
    _ = a + 1
    _ = 1 + a
    _ = 1 + 2
    _ = 1 + 2 * 3
    _ = a + b * 2
    _ = (a + b) * 2 - a / 3
    _ = 2 * a + 3 * b > 10
    _ = 2 * a + 3 * b - 1 == 10
    _ = a * a + b * b
    _ = a % 2 == 0
    _ = a % 2 != 0 && b % 3 == 1
    _ = -a
    _ = -a + b
    _ = -(a + b)
    _ = +a
    _ = ~a
    _ = ~a & b
    _ = a & b
    _ = a | b
    _ = a ^ b
    _ = a << 2
    _ = a >> 2
    _ = a << 2 | b >> 1
    _ = a & 0xFF
    _ = (a & 0xFF) << 8 | (b & 0xFF)
    _ = a & 1 == 0
    _ = a &+ b &* 3
    _ = x + y
    _ = x + 1
    _ = x * 2 + y / 3
    _ = x * x + y * y
    _ = (x * x + y * y).squareRoot()
    _ = -x
    _ = -x * 2.5 + 1
    _ = 1 / x
    _ = 0.5 * x + 0.25 * y + 0.125
    _ = x + Double(a)
    _ = Double(a) / Double(b) * 100
    _ = Double(a + b) / 2 - x
    _ = Int(x * 100) % 7
    _ = f * 2 + 1
    _ = Float(x) + f
    _ = wide + 1
    _ = wide * 1_000 + Int64(a)
    _ = wide / 1_000_000 - 3
    _ = byte + 1
    _ = byte & 0x0F
    _ = UInt32(byte) << 8 | word
    _ = word >> 24 & 0xFF
    _ = big << 32 | UInt64(word)
    _ = big & ~0x7 == 0
    _ = (maybe ?? 0) + 1
    _ = maybe ?? a + 1
    _ = maybe ?? 0
    _ = maybe.map { $0 + 1 } ?? 0
    _ = part ?? x
    _ = (part ?? 0) * x + 1
    _ = maybe ?? maybe ?? 3
    _ = money + 1
    _ = money * money - 3
    _ = money / 2 > 10
    _ = date + 60
    _ = date - 3_600 < Date()
    _ = date.timeIntervalSince(item.date) / 60 > 5
    _ = date.timeIntervalSinceNow < -60 * 60 * 24
    _ = item.price * Double(item.id) + 1
    _ = item.price + (item.rate ?? 0)
    _ = item.price - item.price * 0.2
    _ = max(a, b)
    _ = max(a, 0)
    _ = max(a, b, 3)
    _ = max(x, 0.5)
    _ = min(a, b)
    _ = min(max(a, 0), 10)
    _ = min(x, y) + max(x, y)
    _ = abs(a)
    _ = abs(-3)
    _ = abs(x - y)
    _ = abs(x - y) < 0.001
    _ = abs(a - b) + abs(b - a)
    _ = round(x)
    _ = floor(x / 2) + ceil(y)
    _ = pow(x, 2) + pow(y, 2)
    _ = sqrt(x * x + y * y)
    _ = x.rounded() == y.rounded()
    _ = a.magnitude + b.magnitude
    _ = a.signum() * -1
    _ = [a, b].max() ?? 0
    _ = [x, y].reduce(0, +)
    _ = [a, b].reduce(1, *)
    _ = (1...a).reduce(0) { $0 + $1 * 2 }
    _ = stride(from: 0, to: a, by: 2).map { $0 + 1 }
    _ = a == 3 ? b + 1 : b - 1
    _ = a > b ? x : y * 2
    _ = flags == [.read, .write]
    _ = flags != .read
    _ = flags.contains(.read) && !flags.contains(.run)
    _ = flags.rawValue & 3 == 0
    _ = flags.union(.write) == [.write]
    let sum = a + b
    let mean = (x + y) / 2
    let percent: Double = x / y * 100
    let bits: UInt8 = byte | 0x80
    let shifted: UInt64 = 1 << 40
    let negative: Int64 = -1
    let mixed: Double = 1 + 2 * 3
    _ = (sum, mean, percent, bits, shifted, negative, mixed)
    var counter = a
    counter += 1
    counter -= b * 2
    counter *= 3
    counter /= 2
    counter %= 5
    counter &= 0xF
    counter |= 0x10
    counter <<= 1
    counter = counter + 1
    _ = Duration.seconds(1) + .milliseconds(500)
    _ = Duration.seconds(1) * 2 > .seconds(a)
    _ = Duration.seconds(3) / 2 != .zero
    _ = ContinuousClock.now - .seconds(1) < .now
    _ = x.isNaN || x == .infinity || x == -.infinity
    _ = Int.max - a
    _ = a == .max || a == .min
    _ = UInt8.max & byte
    _ = 0x7F + Int(byte) - (a + 1) * 3
}
