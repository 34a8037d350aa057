// The functions of the shims, which exist in the process only if they were preloaded.

import Foundation

enum Shims {
    static func symbol<F>(_ name: String, as type: F.Type) throws -> F {
        // Searches the whole process, starting with the preloaded shims.
        guard let symbol = dlsym(nil, name) else { throw CocoaError(.featureUnsupported) }
        return unsafeBitCast(symbol, to: type)
    }
}

/// The shim that makes system calls fail.
struct Faults {
    private let armFunction: @convention(c) (CLong, CInt, CInt) -> Void
    private let callsFunction: @convention(c) () -> CLong

    init() throws {
        armFunction = try Shims.symbol("stress_faults_arm", as: (@convention(c) (CLong, CInt, CInt) -> Void).self)
        callsFunction = try Shims.symbol("stress_faults_calls", as: (@convention(c) () -> CLong).self)
        // Applies to files whose path contains this text.
        setenv("STRESS_FAULTS", ".faulty", 1)
    }

    func arm(_ number: Int, error: CInt = EIO, isSticky: Bool = false) { armFunction(number, error, isSticky ? 1 : 0) }
    func disarm() { arm(0) }
    var calls: Int { callsFunction() }
}
