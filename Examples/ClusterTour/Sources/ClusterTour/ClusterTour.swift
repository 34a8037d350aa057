// The program. The path of rowan-node is its argument, or the variable ROWAN_NODE.

import Foundation

@main
struct ClusterTour {
    static func main() async {
        guard let program = CommandLine.arguments.dropFirst().first ?? ProcessInfo.processInfo.environment["ROWAN_NODE"]
        else {
            fail("the path of rowan-node is missing: run Scripts/node, which prints it, and pass it as the argument")
        }
        do {
            _ = try await Tour(nodes: LocalNodes(program: program), count: 1_000, say: say).run()
        } catch {
            fail("\(error)")
        }
    }

    /// Prints a line immediately, also to a file.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("ClusterTour: \(message)\n".utf8))
        exit(1)
    }
}
