import Foundation

/// The running program, which also starts itself as a second process.
enum Program {
    static var executable: URL {
        Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    }
}
